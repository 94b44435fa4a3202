import { describe, expect, it } from 'vitest';
import { type FactsChange, settings, toldOf } from '../../../fakes/doctor-facts.ts';

describe('nodeqos itself', () => {
  it.each<[string, string, FactsChange, string]>([
    ['a good configuration', 'configuration', {}, 'ok: /etc/nodeqos/nodeqos.yaml is good'],
    [
      'none',
      'configuration',
      { own: { configuration: { kind: 'absent', place: '/etc/nodeqos/nodeqos.yaml' } } },
      'ok: /etc/nodeqos/nodeqos.yaml is not there: the defaults count',
    ],
    [
      'a refused one',
      'configuration',
      { own: { configuration: { kind: 'refused', message: 'nodeqos.yaml:2:1: mode: no', more: 1 } } },
      'missing: nodeqos.yaml:2:1: mode: no (and 1 more) | no command of nodeqos goes on with it, and its service does not start | mend the file; nodeqos check lists all that is wrong with it',
    ],
    ['the default mode', 'mode', {}, 'ok: dry-run: nodeqos run tells what it would do, and does nothing'],
    [
      'enforce',
      'mode',
      { own: { settings: settings('mode: enforce') } },
      'ok: enforce: nodeqos run writes and evicts',
    ],
    ['a state folder', 'state-folder', {}, 'ok: /var/lib/nodeqos may be written'],
    [
      'a state folder to be made',
      'state-folder',
      { own: { stateFolder: { path: '/s', state: 'to-be-made' } } },
      'ok: /s is not there and can be made',
    ],
    [
      'a file in its place',
      'state-folder',
      { own: { stateFolder: { path: '/s', state: 'no-folder' } } },
      'missing: /s is no folder | without its journal no limit is written, since nothing could put it back | move the file away, or set stateDir in nodeqos.yaml',
    ],
    [
      'a state folder of somebody else',
      'state-folder',
      { own: { stateFolder: { path: '/s', state: { code: 'EACCES' } } } },
      'warning: /s may not be written (EACCES) | without its journal no limit is written, since nothing could put it back | run nodeqos as root or as the user of its service',
    ],
    [
      'a read-only state folder',
      'state-folder',
      { own: { stateFolder: { path: '/s', state: { code: 'EROFS' } } } },
      'warning: /s may not be written (EROFS) | without its journal no limit is written, since nothing could put it back | mount its filesystem writable, or set stateDir in nodeqos.yaml to a place that is',
    ],
    [
      'the state folder of a capture',
      'state-folder',
      { own: { stateFolder: undefined } },
      'not-known: it stayed on the node | without its journal no limit is written, since nothing could put it back | run the doctor on the node',
    ],
    ['a free lock', 'lock', {}, 'ok: free: nobody writes'],
    [
      'a held lock',
      'lock',
      { own: { lock: { kind: 'held', pid: 9, command: 'run', since: '2026-01-01T00:00:00Z' } } },
      'ok: nodeqos run (PID 9) holds it since 2026-01-01T00:00:00Z',
    ],
    [
      'a hidden lock',
      'lock',
      { own: { lock: { kind: 'unknown' } } },
      'not-known: it cannot be read | whether an agent runs is not known | run the doctor as root',
    ],
    [
      'the lock of a capture',
      'lock',
      { own: { lock: undefined } },
      'not-known: it stayed on the node | whether an agent runs there is not known | run the doctor on the node',
    ],
    ['root', 'user', {}, 'ok: root, with CAP_DAC_OVERRIDE, CAP_KILL, CAP_SYS_RESOURCE'],
    [
      'root without capabilities',
      'user',
      { own: { user: { uid: 0, capabilities: [] } } },
      'warning: root, without CAP_DAC_OVERRIDE and CAP_KILL | this user can look and plan, but neither write limits nor end pods | run as root, or as nodeqos.service does, which has these capabilities; the doctor then sees more as well',
    ],
    [
      'a user with capabilities',
      'user',
      { own: { user: { uid: 998, capabilities: ['CAP_KILL', 'CAP_DAC_OVERRIDE'] } } },
      'ok: user 998, with CAP_DAC_OVERRIDE, CAP_KILL',
    ],
    [
      'a user with one of them',
      'user',
      { own: { user: { uid: 998, capabilities: ['CAP_DAC_OVERRIDE'] } } },
      'warning: user 998, without CAP_KILL | this user can look and plan, but neither write limits nor end pods | run as root, or as nodeqos.service does, which has these capabilities; the doctor then sees more as well',
    ],
    [
      'a plain user',
      'user',
      { own: { user: { uid: 1000, capabilities: [] } } },
      'warning: user 1000, without CAP_DAC_OVERRIDE and CAP_KILL | this user can look and plan, but neither write limits nor end pods | run as root, or as nodeqos.service does, which has these capabilities; the doctor then sees more as well',
    ],
    [
      'the user of a capture',
      'user',
      { own: { user: undefined } },
      "not-known: only the node itself tells | limits and processes are root's and the pods' own | run the doctor on the node, as the user that nodeqos will have",
    ],
    ['the native part', 'native', {}, 'ok: loads'],
    [
      'no native part',
      'native',
      { own: { nativeLack: 'koffi is not there' } },
      'missing: koffi is not there | no pidfds, no triggers on pressure, no word to the service manager | install the package of nodeqos, or the library koffi beside it; all else works without it',
    ],
    ['Node.js', 'node-js', {}, 'ok: v20.19.2'],
    [
      'an old Node.js',
      'node-js',
      { own: { node: { version: 'v18.20.4', isSupported: false } } },
      'warning: v18.20.4 is older than 20.19 | nodeqos is not tried with it | use Node.js 20.19 or newer; the package brings its own',
    ],
    ['a free port', 'listen', {}, 'ok: 127.0.0.1:9477 is free'],
    [
      'a port for all',
      'listen',
      { own: { settings: settings('listen: 0.0.0.0:9477'), listen: { isTaken: false, isOpen: true } } },
      'ok: 0.0.0.0:9477 is free, for whoever reaches it',
    ],
    [
      'a port of somebody',
      'listen',
      { own: { listen: { isTaken: true, isOpen: false } } },
      'warning: somebody listens at 127.0.0.1:9477 already | the agent runs, but answers nobody: no metrics, no health | set listen in nodeqos.yaml to another port, or to unix:PATH',
    ],
    [
      'a port while apply writes',
      'listen',
      {
        own: {
          listen: { isTaken: true, isOpen: false },
          lock: { kind: 'held', pid: 9, command: 'apply', since: 'x' },
        },
      },
      'warning: somebody listens at 127.0.0.1:9477 already | the agent runs, but answers nobody: no metrics, no health | set listen in nodeqos.yaml to another port, or to unix:PATH',
    ],
    [
      'a port of the agent',
      'listen',
      {
        own: {
          listen: { isTaken: true, isOpen: true },
          lock: { kind: 'held', pid: 9, command: 'run', since: 'x' },
        },
      },
      'ok: the agent answers at 127.0.0.1:9477, for whoever reaches it',
    ],
    [
      'nowhere',
      'listen',
      { own: { settings: settings('listen: none'), listen: undefined } },
      'ok: none, as configured',
    ],
    [
      'a port of a capture',
      'listen',
      { root: { kind: 'capture' }, own: { listen: undefined } },
      'not-known: 127.0.0.1:9477: only the node itself tells | without it there are no metrics and no health answers | run the doctor on the node',
    ],
    [
      'a port that cannot be seen',
      'listen',
      { own: { listen: undefined } },
      'not-known: 127.0.0.1:9477: sockets cannot be seen | without it there are no metrics and no health answers | run the doctor on the node',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
