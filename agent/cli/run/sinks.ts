import { Writable } from 'node:stream';
import type { NodeQosSettings } from '../../../config/nodeqos/settings.ts';
import type { EventSink } from '../../ports.ts';
import { type AuditTrouble, openAuditFile } from '../../report/audit/audit-file.ts';
import { isJournalStream } from '../../report/log/journal-stream.ts';
import type { LogTarget } from '../../report/log/log.ts';
import { createLogSink, syslogLevel } from '../../report/log/log-sink.ts';
import type { Io } from '../console/io.ts';

/** Who is told what the agent does, and how they are let go. */
export interface RunSinks {
  readonly sinks: readonly EventSink[];
  close(): Promise<void>;
}

/**
 * The audit log first, so that what is done is on its way to the disk before anybody reads of it; then one line a decision
 * on stdout, and what cannot be done on stderr.
 */
export function openSinks(
  { audit, log }: NodeQosSettings,
  stateFolder: string,
  io: Io,
  onTrouble: (trouble: AuditTrouble) => void,
): RunSinks {
  const file = audit.file ?? `${stateFolder}/audit.jsonl`;
  const auditFile = openAuditFile({ file, maxBytes: audit.maxBytes, keep: audit.keep }, onTrouble);
  const level = syslogLevel(log.level);
  const lines = createLogSink({ decisions: target(io, 1, level), troubles: target(io, 2, level) });
  return {
    sinks: [auditFile, lines],
    close: async () => {
      lines.close();
      await auditFile.close();
    },
  };
}

function target(io: Io, fd: 1 | 2, level: string): LogTarget {
  return {
    stream: new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        if (fd === 1) io.out(String(text));
        else io.err(String(text));
        done();
      },
    }),
    underJournal: isJournalStream(io.env, fd),
    level,
    dated: true,
    coloured: io.isTerminal && io.env['NO_COLOR'] === undefined,
  };
}
