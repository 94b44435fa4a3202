import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ExitStatus } from '../exit.ts';
import { EXIT, Failure } from '../exit.ts';
import { DEMO_MEMORY, demoFiles } from '../fake/demo-node.ts';
import { type Command, defineCommand } from './console/command.ts';
import { foldedIo } from './console/folded-io.ts';
import type { Io } from './console/io.ts';

/** Runs one command line of nodeqos, as a person would: the arguments after `nodeqos`, and where its output goes. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<ExitStatus>;

const NO_OPTIONS = {} as const;

/** The command `demo`, which tells a story between shipped commands; it gets the way to run them, not the commands. */
export function demoCommand(runCommand: RunCommand): Command<typeof NO_OPTIONS, typeof NO_OPTIONS> {
  return defineCommand({
    signature: 'demo',
    summary: "Show the agent's main job on a fake node in a temporary folder",
    positionals: NO_OPTIONS,
    options: NO_OPTIONS,
    run: (_args, io) => tellInFolder(runCommand, io),
  });
}

/** The pod that the story is about. */
const VICTIM = 'data/nightly-report-q7d2x';
const TMPFS_MAGIC = 0x01021994;

/** Cleans up whatever happens, an interrupt included. */
async function tellInFolder(runCommand: RunCommand, io: Io): Promise<ExitStatus> {
  // Asking for the signal is what has it caught: it must be so before there is anything to clean up.
  const folded = foldedIo(io);
  const folder = temporaryFolder(io);
  const cleanUp = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  // A reader that goes away (`| head`) ends the process at once, and what waits in a finally is not run then.
  process.once('exit', cleanUp);
  try {
    for (const [name, text] of demoFiles()) {
      writeFileSync(join(folder, name), text);
    }
    return await tell({ runCommand, io: folded, folder });
  } finally {
    cleanUp();
    process.removeListener('exit', cleanUp);
  }
}

interface Stage {
  readonly runCommand: RunCommand;
  readonly io: Io;
  readonly folder: string;
}

interface Scene {
  readonly title: string;
  readonly words: string;
  /** A command line whose output is shown. */
  readonly shown?: readonly string[];
  /** One that sets the scene and whose output nobody needs. */
  readonly before?: readonly string[];
}

/** Each scene is a few words and one command; what the commands answer is the story. */
async function tell(stage: Stage): Promise<ExitStatus> {
  stage.io.out(`${BEGINNING}\n\n  $ NODE=${join(stage.folder, 'node')}\n`);
  for (const scene of scenes(stage.folder)) {
    // The one moment at which a signal that came meanwhile is heard.
    await setImmediate();
    if (stage.io.signal.aborted) {
      stage.io.err('\nStopped. The fake node is gone.\n');
      return EXIT.no;
    }
    await play(stage, scene);
  }
  stage.io.out(`\n${END}\n`);
  return EXIT.ok;
}

async function play(
  { runCommand, io, folder }: Stage,
  { title, words, before, shown }: Scene,
): Promise<void> {
  io.out(`\n${heading(title, io)}\n${words}\n\n`);
  if (before !== undefined) {
    await expectOk(runCommand, before, quiet(io));
  }
  if (shown !== undefined) {
    io.out(`  $ nodeqos ${shown.join(' ').replaceAll(join(folder, 'node'), '$NODE')}\n\n`);
    await expectOk(runCommand, shown, io);
  }
}

/** A command of the demo that fails is a fault of the demo, and the story ends there. */
async function expectOk(runCommand: RunCommand, argv: readonly string[], io: Io): Promise<void> {
  const status = await runCommand(argv, io);
  // A command that was interrupted may end with a status of its own; the story ends at the next scene then.
  if (status !== EXIT.ok && !io.signal.aborted) {
    throw new Failure(status, `the demo ended at "nodeqos ${argv.join(' ')}", which gave status ${status}`);
  }
}

function scenes(folder: string): readonly Scene[] {
  const node = join(folder, 'node');
  const root = ['--root', node];
  const pods = ['--pods', join(node, 'pods.json')];
  const build = (usage: string): readonly string[] => [
    ...['fake-tree', '--dir', node, '--pods', join(folder, 'pods.json'), '--memory-capacity', DEMO_MEMORY],
    ...['--kubelet-config', join(folder, 'kubelet.yaml'), '--usage', join(folder, usage)],
  ];
  return [
    { ...SCENES.check, before: build('usage-calm.json'), shown: ['check', ...root] },
    { ...SCENES.plan, shown: ['plan', ...root, ...pods] },
    { ...SCENES.apply, shown: ['apply', ...root, ...pods] },
    { ...SCENES.again, shown: ['plan', ...root, ...pods, '-o', 'diff', '--check'] },
    { ...SCENES.calm, shown: ['status', ...root, ...pods] },
    { ...SCENES.pressed, before: build('usage-pressed.json'), shown: ['status', ...root, ...pods] },
    { ...SCENES.rank, shown: ['rank', ...root, ...pods] },
    { ...SCENES.explain, shown: ['explain', VICTIM, ...root, ...pods] },
    { ...SCENES.run, shown: ['run', ...root, ...pods, '--once', '--listen', 'none'] },
    { ...SCENES.reset, shown: ['reset', ...root] },
  ];
}

const SCENES = {
  check: {
    title: '1. A node',
    words:
      'This builds a node that does not exist: a folder with the cgroup and /proc files of a Linux 6.1\n' +
      'machine with 8Gi of memory, running fifteen pods. Nothing on your machine is touched. The kubelet of\n' +
      'that node was given a configuration. Is it good, and what does it mean?',
  },
  plan: {
    title: '2. What Memory QoS would write',
    words:
      'From requests and limits follow memory.min, memory.low and memory.high of each cgroup. Planning\n' +
      'writes nothing; each value comes with the formula that made it.',
  },
  apply: {
    title: '3. Write it',
    words: 'Applying is an explicit order. Old values go into a journal first, so that they can come back.',
  },
  again: {
    title: '4. Plan again',
    words:
      'A second plan finds nothing to write: as a diff it is empty, and --check, which would give status 1\n' +
      'otherwise, gives 0.',
  },
  calm: {
    title: '5. Evening: the node is well',
    words: 'Eviction looks at signals. Available memory is far above both thresholds.',
  },
  pressed: {
    title: '6. Night: memory runs short',
    words:
      'The nightly report has started, somebody left a notebook running, and a Spark executor grows.\n' +
      'Available memory falls below the hard threshold.',
  },
  rank: {
    title: '7. Who would have to go',
    words:
      'First those that use more than they asked for, the least important of them first. Critical and\n' +
      'static pods are passed over. Each pod has its reason.',
  },
  explain: {
    title: '8. Why that one',
    words: 'All that is known of the first candidate, in sentences.',
  },
  run: {
    title: '9. The agent takes one look',
    words:
      'What a person typed so far, the agent does by itself, once a second and faster while memory runs\n' +
      'out. It acts on nothing unless told to (--enforce), so here it says what it would do.',
  },
  reset: {
    title: '10. Put it back',
    words: 'The journal knows what every file held before. After this the node is as it was found.',
  },
} as const;

const BEGINNING =
  'One evening and one night of a node that does not exist, told by the commands that you would type.';

const END =
  'That was all on a fake node, which is gone now. On a real one the same commands work without --root:\n' +
  'nodeqos plan --pods pods.yaml, with pods.yaml from kubectl get pods -A -o yaml. Nothing is\n' +
  'written before you say apply, and the agent (nodeqos run) acts on nothing before you say --enforce.';

/** A tmpfs, where there is one: a fake node is some thousand files that no disk needs to see. */
function temporaryFolder(io: Io): string {
  for (const place of ['/dev/shm', io.env['XDG_RUNTIME_DIR']]) {
    if (place !== undefined && isTmpfs(place)) {
      const folder = tryFolder(place);
      if (folder !== undefined) {
        return folder;
      }
    }
  }
  const folder = tryFolder(tmpdir());
  if (folder === undefined) {
    throw new Failure(
      EXIT.ioError,
      `${tmpdir()}: no folder can be made there; set TMPDIR to a folder of yours`,
    );
  }
  return folder;
}

function tryFolder(place: string): string | undefined {
  try {
    return mkdtempSync(join(place, 'nodeqos-demo-'));
  } catch {
    // Read-only or somebody else's: the next place is tried.
    return undefined;
  }
}

function isTmpfs(place: string): boolean {
  try {
    return statfsSync(place).type === TMPFS_MAGIC;
  } catch {
    return false;
  }
}

function heading(title: string, io: Io): string {
  const line = `${title}\n${'-'.repeat(title.length)}`;
  const inColour = io.isTerminal && (io.env['NO_COLOR'] ?? '') === '';
  return inColour ? `\u001b[1m${line}\u001b[0m` : line;
}

/** The same outside with nothing on stdout. */
function quiet(io: Io): Io {
  return {
    out: () => undefined,
    err: io.err.bind(io),
    warn: io.warn.bind(io),
    isTerminal: false,
    columns: io.columns,
    env: io.env,
    signal: io.signal,
  };
}
