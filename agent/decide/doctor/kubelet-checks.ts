import { amiss, type DoctorCheck, fine, type Subject, unseen } from './check.ts';
import { configurationCheck } from './configuration-check.ts';
import type { DoctorFacts, KubeletFacts } from './facts.ts';

const group = 'kubelet' as const;
const ALIVE: Subject = { id: 'kubelet', group, title: 'Kubelet' };
const CONFIGURATION: Subject = { id: 'kubelet-configuration', group, title: 'KubeletConfiguration' };
const VERSION: Subject = { id: 'kubelet-version', group, title: 'Kubelet version' };
const READ_ONLY_PORT: Subject = { id: 'kubelet-read-only-port', group, title: 'Kubelet read-only port' };
const ACCESS: Subject = { id: 'kubelet-access', group, title: 'Kubelet credentials' };

/** Whether a kubelet lives here, what it was told, and how it can be asked. */
export function kubeletChecks({ kubelet, root }: DoctorFacts): readonly DoctorCheck[] {
  return [
    aliveCheck(kubelet, root.kind === 'host'),
    configurationCheck(CONFIGURATION, kubelet.configuration, {
      absent: {
        consequence: "the kubelet's defaults are used: no memory.high, no protection, its default thresholds",
        remedy: 'give --kubelet-config FILE, or kubeletConfiguration.file in nodeqos.yaml',
      },
      refused: 'a kubelet would not start with it, and no command of nodeqos goes on with it',
    }),
    versionCheck(kubelet),
    readOnlyPortCheck(kubelet),
    accessCheck(kubelet),
  ];
}

function aliveCheck({ alive }: KubeletFacts, isHost: boolean): DoctorCheck {
  if (alive === undefined) {
    const { found, remedy } = unseen(isHost);
    return amiss(ALIVE, 'not-known', found, {
      consequence: 'beside a live kubelet evictions stay dry unless eviction.alongsideKubelet says otherwise',
      remedy,
    });
  }
  return fine(ALIVE, alive ?? 'none lives here');
}

function versionCheck({ version, alive }: KubeletFacts): DoctorCheck {
  if (version === undefined && alive === null) return fine(VERSION, 'no kubelet lives here');
  return version === undefined
    ? amiss(VERSION, 'not-known', 'no Node object tells', {
        consequence:
          'from 1.37 on a kubelet writes memory.min, memory.low and memory.high itself unless it is told not to',
        remedy: 'give --node FILE (kubectl get node NAME -o yaml)',
      })
    : fine(VERSION, version);
}

function readOnlyPortCheck({ readOnlyPort }: KubeletFacts): DoctorCheck {
  return readOnlyPort === undefined
    ? fine(READ_ONLY_PORT, 'off: the kubelet is asked at port 10250, with credentials')
    : amiss(READ_ONLY_PORT, 'warning', `port ${readOnlyPort} answers without credentials`, {
        consequence:
          'nodeqos can have the pods there without credentials, and so can whoever reaches the port',
        remedy: 'set readOnlyPort: 0 and give nodeqos credentials (kubelet.tokenFile in nodeqos.yaml)',
      });
}

function accessCheck({ credentials }: KubeletFacts): DoctorCheck {
  const own = credentials.filter((credential) => credential.of === 'kubelet');
  const bad = own.find(({ state }) => state !== 'readable');
  if (bad !== undefined) {
    const why = typeof bad.state === 'string' ? 'is not there' : `cannot be read (${bad.state.code})`;
    return amiss(ACCESS, 'missing', `${bad.path} ${why}`, {
      consequence: 'a kubelet with authentication gives its pods to nobody without them',
      remedy: 'mend the path in the section kubelet of nodeqos.yaml, or let nodeqos read the file',
    });
  }
  return fine(ACCESS, own.length === 0 ? 'none configured' : own.map(({ path }) => path).join(', '));
}
