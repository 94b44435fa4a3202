// Runs as a service of the machine with systemd: every case, one after the other, a line of JSON for each to the host.
import type { KernelCase } from '../guest/result.ts';
import { runCases } from '../guest/run-cases.ts';
import { systemdCases } from './cases.ts';
import { run } from './commands.ts';

/** Put in when the cases are bundled: a part of their names, or nothing for all of them. */
declare const WANTED_CASES: string;

const JOURNAL_LINES = '60';

/** What the services of the machine wrote is in the journal, which is gone with the machine: a case that fails shows its end. */
function withJournal(one: KernelCase): KernelCase {
  return {
    name: one.name,
    run: async (notes) => {
      const since = `--since=@${Math.floor(Date.now() / 1000)}`;
      try {
        await one.run(notes);
      } catch (error) {
        const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
        const settings = ['-o', 'short-monotonic', '--no-hostname', since, '-n', JOURNAL_LINES];
        const journal = await run('journalctl', ...settings);
        throw new Error(`${why}\n--- the end of the journal\n${journal.stdout}`);
      }
    },
  };
}

process.exit((await runCases(systemdCases(WANTED_CASES).map(withJournal))) ? 0 : 1);
