import { amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import { configurationCheck } from './configuration-check.ts';
import type { DoctorFacts, OwnFacts } from './facts.ts';
import { sourceChecks } from './source-checks.ts';

const group = 'nodeqos' as const;
const CONFIGURATION: Subject = { id: 'configuration', group, title: 'nodeqos.yaml' };
const MODE: Subject = { id: 'mode', group, title: 'Mode' };
const STATE: Subject = { id: 'state-folder', group, title: 'State folder' };
const LOCK: Subject = { id: 'lock', group, title: 'Lock' };
const USER: Subject = { id: 'user', group, title: 'User' };
const NATIVE: Subject = { id: 'native', group, title: 'Native part' };
const NODE: Subject = { id: 'node-js', group, title: 'Node.js' };
const LISTEN: Subject = { id: 'listen', group, title: 'Where it answers' };

/** What the agent cannot do without where it is not root: other users' processes and cgroups. */
const NEEDED = ['CAP_DAC_OVERRIDE', 'CAP_KILL'] as const;

const MODES = {
  'dry-run': 'dry-run: nodeqos run tells what it would do, and does nothing',
  enforce: 'enforce: nodeqos run writes and evicts',
} as const;

/** nodeqos itself: its configuration, its state, and who it runs as. */
export function ownChecks(facts: DoctorFacts): readonly DoctorCheck[] {
  const { own, root } = facts;
  return [
    configurationCheck(CONFIGURATION, own.configuration, {
      refused: 'no command of nodeqos goes on with it, and its service does not start',
    }),
    fine(MODE, MODES[own.settings.mode]),
    ...sourceChecks(facts),
    stateCheck(own),
    lockCheck(own),
    userCheck(own),
    nativeCheck(own),
    nodeCheck(own),
    listenCheck(own, root.kind === 'host'),
  ];
}

function stateCheck({ stateFolder }: OwnFacts): DoctorCheck {
  const consequence = 'without its journal no limit is written, since nothing could put it back';
  if (stateFolder === undefined) {
    return amiss(STATE, 'not-known', 'it stayed on the node', {
      consequence,
      remedy: 'run the doctor on the node',
    });
  }
  const { path, state } = stateFolder;
  if (state === 'writable') return fine(STATE, `${path} may be written`);
  if (state === 'to-be-made') return fine(STATE, `${path} is not there and can be made`);
  if (state === 'no-folder') {
    return amiss(STATE, 'missing', `${path} is no folder`, {
      consequence,
      remedy: 'move the file away, or set stateDir in nodeqos.yaml',
    });
  }
  return amiss(STATE, 'warning', `${path} may not be written (${state.code})`, {
    consequence,
    remedy:
      state.code === 'EROFS'
        ? 'mount its filesystem writable, or set stateDir in nodeqos.yaml to a place that is'
        : 'run nodeqos as root or as the user of its service',
  });
}

function lockCheck({ lock }: OwnFacts): DoctorCheck {
  switch (lock?.kind) {
    case undefined:
      return amiss(LOCK, 'not-known', 'it stayed on the node', {
        consequence: 'whether an agent runs there is not known',
        remedy: 'run the doctor on the node',
      });
    case 'free':
      return fine(LOCK, 'free: nobody writes');
    case 'held':
      return fine(LOCK, `nodeqos ${lock.command} (PID ${lock.pid}) holds it since ${lock.since}`);
    case 'unknown':
      return amiss(LOCK, 'not-known', 'it cannot be read', {
        consequence: 'whether an agent runs is not known',
        remedy: 'run the doctor as root',
      });
  }
}

/** CAP_SYS_RESOURCE is no need: it makes triggers on pressure twice as fast. */
function userCheck({ user }: OwnFacts): DoctorCheck {
  if (user === undefined) {
    return amiss(USER, 'not-known', 'only the node itself tells', {
      consequence: "limits and processes are root's and the pods' own",
      remedy: 'run the doctor on the node, as the user that nodeqos will have',
    });
  }
  const lacking = NEEDED.filter((capability) => !user.capabilities.includes(capability));
  const who = user.uid === 0 ? 'root' : `user ${user.uid}`;
  if (lacking.length === 0) return fine(USER, `${who}, with ${[...user.capabilities].toSorted().join(', ')}`);
  return amiss(USER, 'warning', `${who}, without ${lacking.join(' and ')}`, {
    consequence: 'this user can look and plan, but neither write limits nor end pods',
    remedy:
      'run as root, or as nodeqos.service does, which has these capabilities; the doctor then sees more as well',
  });
}

function nativeCheck({ nativeLack }: OwnFacts): DoctorCheck {
  return nativeLack === undefined
    ? fine(NATIVE, 'loads')
    : amiss(NATIVE, 'missing', nativeLack, {
        consequence: 'no pidfds, no triggers on pressure, no word to the service manager',
        remedy: 'install the package of nodeqos, or the library koffi beside it; all else works without it',
      });
}

function nodeCheck({ node }: OwnFacts): DoctorCheck {
  return node.isSupported
    ? fine(NODE, node.version)
    : amiss(NODE, 'warning', `${node.version} is older than 20.19`, {
        consequence: 'nodeqos is not tried with it',
        remedy: 'use Node.js 20.19 or newer; the package brings its own',
      });
}

function listenCheck({ settings, listen, lock }: OwnFacts, isHost: boolean): DoctorCheck {
  const address = settings.listen;
  if (address === 'none') return fine(LISTEN, 'none, as configured');
  if (listen === undefined) {
    return amiss(
      LISTEN,
      'not-known',
      `${address}: ${isHost ? 'sockets cannot be seen' : 'only the node itself tells'}`,
      {
        consequence: 'without it there are no metrics and no health answers',
        remedy: 'run the doctor on the node',
      },
    );
  }
  const isAgent = lock?.kind === 'held' && lock.command === 'run';
  if (listen.isTaken && !isAgent) {
    return amiss(LISTEN, 'warning', `somebody listens at ${address} already`, {
      consequence: 'the agent runs, but answers nobody: no metrics, no health',
      remedy: 'set listen in nodeqos.yaml to another port, or to unix:PATH',
    });
  }
  const reach = listen.isOpen ? ', for whoever reaches it' : '';
  return fine(
    LISTEN,
    listen.isTaken ? `the agent answers at ${address}${reach}` : `${address} is free${reach}`,
  );
}
