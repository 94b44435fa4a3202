import { describe, expect, it } from 'vitest';
import { type FactsChange, toldOf } from '../../../fakes/doctor-facts.ts';

describe('the kubelet', () => {
  it.each<[string, string, FactsChange, string]>([
    ['none', 'kubelet', {}, 'ok: none lives here'],
    [
      'a live one',
      'kubelet',
      { kubelet: { alive: 'process 812 is a kubelet' } },
      'ok: process 812 is a kubelet',
    ],
    [
      'one that cannot be seen',
      'kubelet',
      { kubelet: { alive: undefined } },
      'not-known: the processes of the node are not seen from here | beside a live kubelet evictions stay dry unless eviction.alongsideKubelet says otherwise | run the doctor as root, in a container with the PIDs of the host (hostPID)',
    ],
    [
      'one of a node elsewhere',
      'kubelet',
      { root: { kind: 'folder' }, kubelet: { alive: undefined } },
      'not-known: only the node itself tells | beside a live kubelet evictions stay dry unless eviction.alongsideKubelet says otherwise | run the doctor on the node',
    ],
    ['a good configuration', 'kubelet-configuration', {}, 'ok: /var/lib/kubelet/config.yaml is good'],
    [
      'a configuration with a warning',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'valid', file: 'config.yaml', warnings: 1 } } },
      'warning: config.yaml is taken, with 1 warning | something in it is surely not meant as it is read | nodeqos check says what, with line and column',
    ],
    [
      'a configuration with warnings',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'valid', file: 'config.yaml', warnings: 2 } } },
      'warning: config.yaml is taken, with 2 warnings | something in it is surely not meant as it is read | nodeqos check says what, with line and column',
    ],
    [
      'no configuration',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'absent', place: '/var/lib/kubelet/config.yaml' } } },
      "warning: /var/lib/kubelet/config.yaml is not there | the kubelet's defaults are used: no memory.high, no protection, its default thresholds | give --kubelet-config FILE, or kubeletConfiguration.file in nodeqos.yaml",
    ],
    [
      'a refused configuration',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'refused', message: 'config.yaml:3:1: no', more: 0 } } },
      'missing: config.yaml:3:1: no | a kubelet would not start with it, and no command of nodeqos goes on with it | mend the file; nodeqos check lists all that is wrong with it',
    ],
    [
      'a configuration that is refused for more',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'refused', message: 'config.yaml:3:1: no', more: 2 } } },
      'missing: config.yaml:3:1: no (and 2 more) | a kubelet would not start with it, and no command of nodeqos goes on with it | mend the file; nodeqos check lists all that is wrong with it',
    ],
    [
      'an unreadable configuration',
      'kubelet-configuration',
      { kubelet: { configuration: { kind: 'unreadable', message: 'x: not permitted' } } },
      'missing: x: not permitted | a kubelet would not start with it, and no command of nodeqos goes on with it | mend the path or its permissions',
    ],
    ['a version', 'kubelet-version', {}, 'ok: v1.36.1'],
    [
      'no version',
      'kubelet-version',
      { kubelet: { version: undefined, alive: 'process 812 is a kubelet' } },
      'not-known: no Node object tells | from 1.37 on a kubelet writes memory.min, memory.low and memory.high itself unless it is told not to | give --node FILE (kubectl get node NAME -o yaml)',
    ],
    [
      'no version, and no kubelet',
      'kubelet-version',
      { kubelet: { version: undefined } },
      'ok: no kubelet lives here',
    ],
    [
      'no version, and perhaps a kubelet',
      'kubelet-version',
      { kubelet: { version: undefined, alive: undefined } },
      'not-known: no Node object tells | from 1.37 on a kubelet writes memory.min, memory.low and memory.high itself unless it is told not to | give --node FILE (kubectl get node NAME -o yaml)',
    ],
    [
      'no read-only port',
      'kubelet-read-only-port',
      {},
      'ok: off: the kubelet is asked at port 10250, with credentials',
    ],
    [
      'a read-only port',
      'kubelet-read-only-port',
      { kubelet: { readOnlyPort: 10255 } },
      'warning: port 10255 answers without credentials | nodeqos can have the pods there without credentials, and so can whoever reaches the port | set readOnlyPort: 0 and give nodeqos credentials (kubelet.tokenFile in nodeqos.yaml)',
    ],
    ['no credentials', 'kubelet-access', {}, 'ok: none configured'],
    [
      'credentials',
      'kubelet-access',
      {
        kubelet: {
          credentials: [
            { of: 'kubelet', path: '/t', state: 'readable' },
            { of: 'kubelet', path: '/c', state: 'readable' },
            { of: 'api', path: '/k', state: 'missing' },
          ],
        },
      },
      'ok: /t, /c',
    ],
    [
      'credentials that are missing',
      'kubelet-access',
      {
        kubelet: {
          credentials: [
            { of: 'kubelet', path: '/t', state: 'readable' },
            { of: 'kubelet', path: '/c', state: 'missing' },
          ],
        },
      },
      'missing: /c is not there | a kubelet with authentication gives its pods to nobody without them | mend the path in the section kubelet of nodeqos.yaml, or let nodeqos read the file',
    ],
    [
      'credentials that may not be read',
      'kubelet-access',
      { kubelet: { credentials: [{ of: 'kubelet', path: '/t', state: { code: 'EACCES' } }] } },
      'missing: /t cannot be read (EACCES) | a kubelet with authentication gives its pods to nobody without them | mend the path in the section kubelet of nodeqos.yaml, or let nodeqos read the file',
    ],
  ])('%s', (_sentence, id, change, told) => {
    expect(toldOf(id, change)).toBe(told);
  });
});
