import { describe, expect, it } from 'vitest';
import { dryEvictor } from '../../../../agent/act/evict/evict-dry.ts';
import { StandingNews } from '../../../../agent/cli/run/standing-news.ts';
import { evictionPolicy } from '../../../../agent/decide/eviction/policy.ts';
import type { AgentEvent, AgentMode, ToldStanding } from '../../../../agent/model/agent-event.ts';
import { Announcer } from '../../../../agent/run/announcer.ts';
import type { EvictionRules } from '../../../../agent/run/eviction-rules.ts';
import { readKubeletConfiguration } from '../../../../config/kubelet/read.ts';
import { readNodeQosConfiguration } from '../../../../config/nodeqos/read.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';

const DRY = { evictions: 'dry', because: 'a kubelet runs here' } as const;
const ON = { evictions: 'on' } as const;

function rulesOf({ taints, ...standing }: ToldStanding): EvictionRules {
  const kubelet = readKubeletConfiguration(undefined, []).settings;
  const nodeqos = readNodeQosConfiguration(undefined, []).settings;
  if (kubelet === undefined || nodeqos === undefined) throw new Error('the defaults are refused');
  return {
    ...standing,
    policy: evictionPolicy(kubelet, nodeqos, 'nodeqos'),
    evictor: dryEvictor,
    maxSampleAgeMs: 1000,
    isTraced: false,
    ...(taints === undefined ? {} : { taints: { ...taints, look: () => ({ taints: [], ageMs: 0 }) } }),
  };
}

/** What is told of standings that follow on each other. */
async function told(
  ...steps: readonly (readonly [AgentMode, ToldStanding])[]
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  const sink = { name: 'test', event: ({ event }: { event: AgentEvent }) => void events.push(event) };
  const news = new StandingNews(new Announcer([sink], new FakeClock(), 'enforce'));
  for (const [mode, standing] of steps) await news.tell({ mode, eviction: rulesOf(standing) });
  return events;
}

describe('how evictions stand', () => {
  it.each<[string, readonly (readonly [AgentMode, ToldStanding])[], readonly ToldStanding[]]>([
    ['is told at the start where they are dry in enforce', [['enforce', DRY]], [DRY]],
    ['is not told at the start where they are real, as the mode says', [['enforce', ON]], []],
    ['is not told in dry-run, which says it all', [['dry-run', DRY]], []],
    [
      'is told once',
      [
        ['enforce', DRY],
        ['enforce', DRY],
      ],
      [DRY],
    ],
    [
      'is told when it changes',
      [
        ['enforce', ON],
        ['enforce', DRY],
        ['enforce', ON],
      ],
      [DRY, ON],
    ],
    [
      'is told when the reason changes',
      [
        ['enforce', DRY],
        ['enforce', { ...DRY, because: 'eviction.evictor is dry' }],
      ],
      [DRY, { ...DRY, because: 'eviction.evictor is dry' }],
    ],
    [
      'is told where those for taints alone are dry',
      [['enforce', { ...ON, taints: DRY }]],
      [{ ...ON, taints: DRY }],
    ],
    [
      'is told when enforce follows on dry-run',
      [
        ['dry-run', { ...DRY, because: 'the mode is dry-run' }],
        ['enforce', ON],
      ],
      [ON],
    ],
  ])('%s', async (_, steps, wanted) => {
    expect(await told(...steps)).toEqual(wanted.map((standing) => ({ kind: 'standing', ...standing })));
  });
});
