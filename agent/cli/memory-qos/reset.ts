import { applyWrites, type WriteResult } from '../../../cgroup/apply.ts';
import { limitFiles } from '../../../cgroup/disk/cgroup-writer.ts';
import { closeMount } from '../../../cgroup/disk/mount.ts';
import { chooseDriver, detectDriver } from '../../../cgroup/driver.ts';
import { placeKey } from '../../../cgroup/journal.ts';
import type { LimitFiles, LimitPlace } from '../../../cgroup/limit-port.ts';
import { MEMORY_FILES } from '../../../cgroup/memory-files.ts';
import { cgroupLayout } from '../../../cgroup/paths.ts';
import { cgroupsAtAndBelow, neutralWrites, type ResetWrite, restorations } from '../../../cgroup/reset.ts';
import { resetEntry } from '../../../cgroup/reset-entry.ts';
import { type Warning, warning } from '../../../cgroup/warning.ts';
import type { KubeletSettings } from '../../../config/kubelet/settings.ts';
import { lookAt, restoreJournal } from '../../act/limits/restore.ts';
import { EXIT, type ExitStatus, Failure } from '../../exit.ts';
import { type NodeRoot, openRoot, requireCgroup2 } from '../../observe/root.ts';
import { defineCommand } from '../console/command.ts';
import type { Io } from '../console/io.ts';
import { CONFIGURATION_OPTIONS, MACHINE_OPTIONS, OUTPUT_OPTIONS, ROOT_OPTIONS } from '../console/options.ts';
import { loadConfiguration } from '../inputs/configuration.ts';
import { applyResult, dryRunResult, printApplyResult, statusOfResults } from './apply-result.ts';
import {
  mountOf,
  openJournal,
  statusOf,
  type WritablePlaces,
  type WriteSession,
  withWriteSession,
  writablePlaces,
} from './write-session.ts';

export const resetCommand = defineCommand({
  signature: 'reset',
  summary: 'Put back every value that the journal holds',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    'cgroup-driver': MACHINE_OPTIONS['cgroup-driver'],
    ...OUTPUT_OPTIONS,
    neutral: {
      type: 'boolean',
      default: false,
      describe: 'Set min and low to 0 and high to max on every kubepods cgroup, with or without a journal',
    },
    'dry-run': { type: 'boolean', default: false, describe: 'Print what would be written, write nothing' },
  },
  run: async (args, io) => {
    const root = await openRoot({ root: args.root, cgroupRoot: args.cgroupRoot });
    const { kubelet, nodeqos } = loadConfiguration(args, root, io);
    const places = writablePlaces(root, nodeqos.stateDir);
    requireCgroup2(root);
    const reset: Reset = {
      root,
      neutralTop: args.neutral ? kubepodsOf(root, kubelet, args.cgroupDriver) : undefined,
    };
    if (args.dryRun) {
      const { writes, others, warnings } = await onlyLook(reset, places);
      printApplyResult(io, args.output, dryRunResult(writes.map(resetEntry), others, warnings));
      return EXIT.ok;
    }
    const writer = {
      command: 'reset',
      signal: io.signal,
      limitWriter: nodeqos.memoryQos.writer,
      ...(args.neutral ? {} : { withoutLock: sayWithoutLock(io) }),
    };
    const done = await withWriteSession(root, places, writer, (session) => act(reset, session, io));
    const results = done.results.map((result) => ({ ...result, write: resetEntry(result.write) }));
    printApplyResult(io, args.output, applyResult(results, done.others, done.warnings));
    return done.status;
  },
});

/**
 * Writing cgroups needs no disk, and a full one is when limits may have to go (`apt remove`): what the journal holds is put
 * back without a lock. An agent that has no lock either writes no limit, so nothing is written twice.
 */
function sayWithoutLock(io: Io): (why: string) => void {
  return (why) => {
    io.warn(
      `no lock can be taken (${why}); no other nodeqos is known to write, so this one goes on without it`,
    );
  };
}

interface Reset {
  readonly root: NodeRoot;
  /** With --neutral: the kubepods cgroup. */
  readonly neutralTop: string | undefined;
}

interface Done {
  readonly results: readonly WriteResult<ResetWrite>[];
  readonly others: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
  readonly status: ExitStatus;
}

interface Looked {
  readonly writes: readonly ResetWrite[];
  readonly others: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
}

function kubepodsOf(
  root: NodeRoot,
  kubelet: KubeletSettings,
  asked: 'systemd' | 'cgroupfs' | 'auto',
): string {
  const { driver } = chooseDriver({
    asked: asked === 'auto' ? undefined : asked,
    found: detectDriver(root.cgroups, kubelet.cgroupRoot),
    configured: kubelet.cgroupDriver,
    configuredIsStated: kubelet.cgroupDriverStated,
  });
  return cgroupLayout(driver, kubelet.cgroupRoot).kubepods;
}

async function onlyLook(reset: Reset, places: WritablePlaces): Promise<Looked> {
  const mount = mountOf(reset.root, places);
  try {
    const files = limitFiles(mount);
    if (reset.neutralTop !== undefined) {
      const { writes, warnings } = await lookNeutral(reset.root, reset.neutralTop, files);
      return { writes, others: {}, warnings };
    }
    const { journal, stale } = openJournal(reset.root, places);
    const found = restorations(journal, await lookAt([...journal.records.values()], files));
    const writes = found.writes.map((one) => (one.kind === 'ready' ? one.write : one.result.write));
    return {
      writes,
      others: { unchanged: found.unchanged, stale },
      warnings: found.changedByOthers.map(changedByOther),
    };
  } finally {
    closeMount(mount);
  }
}

async function act(reset: Reset, session: WriteSession, io: Io): Promise<Done> {
  return reset.neutralTop === undefined
    ? await restore(session, io)
    : await makeNeutral(reset.root, reset.neutralTop, session, io);
}

/** Puts back what the journal holds; what failed stays in it for the next reset. */
async function restore(session: WriteSession, io: Io): Promise<Done> {
  const { results, unchanged, changedByOthers, notForgotten } = await restoreJournal(session);
  if (notForgotten !== undefined) {
    io.warn(
      `the journal could not be shortened (${notForgotten.message}); what was put back stays in it, and the next reset finds that unchanged`,
    );
  }
  return {
    results,
    others: { unchanged, stale: session.journal.stale },
    warnings: changedByOthers.map(changedByOther),
    status: notForgotten === undefined ? statusOfResults(results) : statusOf(notForgotten.code),
  };
}

/** Sets every kubepods cgroup to the kernel's defaults. The journal then has nothing more to say about them. */
async function makeNeutral(root: NodeRoot, top: string, session: WriteSession, io: Io): Promise<Done> {
  const { files, journal } = session;
  const { writes, warnings, cgroups } = await lookNeutral(root, top, files);
  const applied = await applyWrites(writes, session);
  if (applied.kind === 'not-journalled') {
    throw new Failure(
      statusOf(applied.code),
      `nothing was written, since the old values cannot be kept: ${applied.message}`,
    );
  }
  const failed = new Set(
    applied.results.filter(({ outcome }) => outcome === 'failed').map(({ write }) => placeKey(write)),
  );
  const keys = cgroups.flatMap((cgroup) => MEMORY_FILES.map((file) => placeKey({ cgroup, file })));
  const neutral = new Set(keys.filter((key) => !failed.has(key)));
  const failure = await journal.forget(neutral);
  if (failure !== undefined) {
    io.warn(`the cgroups are neutral, but the journal still holds their old values: ${failure.message}`);
  }
  return {
    results: applied.results,
    others: {},
    warnings,
    status: failure === undefined ? statusOfResults(applied.results) : statusOf(failure.code),
  };
}

async function lookNeutral(
  root: NodeRoot,
  top: string,
  files: LimitFiles,
): Promise<Looked & { readonly cgroups: readonly string[] }> {
  const { cgroups, unlisted } = cgroupsAtAndBelow(root.cgroups, top);
  const places = cgroups.flatMap((cgroup) => MEMORY_FILES.map((file) => ({ cgroup, file })));
  const warnings = [
    warning(
      'kubelet-writes-too',
      'a kubelet of 1.37 with Memory QoS writes some of these files itself and may set them again',
    ),
    ...(cgroups.length === 0
      ? [warning('no-kubepods', `there is no cgroup ${root.cgroups.nameOf(top)}`)]
      : []),
    ...unlisted.map((cgroup) => ({
      ...warning(
        'unreadable-folder',
        `${root.cgroups.nameOf(cgroup)} cannot be listed: what is below it stays as it is`,
      ),
      cgroup,
    })),
  ];
  return { cgroups, writes: neutralWrites(cgroups, await lookAt(places, files)), others: {}, warnings };
}

function changedByOther(record: LimitPlace): Warning {
  const message = `${record.cgroup}/${record.file} was changed by somebody else since nodeqos wrote it; the value from before nodeqos is put back all the same`;
  return { ...warning('changed-by-others', message), cgroup: record.cgroup };
}
