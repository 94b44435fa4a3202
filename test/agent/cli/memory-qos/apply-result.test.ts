import { expect, it } from 'vitest';
import { applyResult, printApplyResult } from '../../../../agent/cli/memory-qos/apply-result.ts';
import type { WriteResult } from '../../../../cgroup/apply.ts';
import type { PlanEntry } from '../../../../cgroup/plan.ts';
import { RecordingIo } from '../../../fakes/recording-io.ts';

const ENTRY: PlanEntry = {
  level: 'node',
  namespace: null,
  pod: null,
  uid: null,
  container: null,
  qosClass: null,
  cgroup: 'kubepods.slice',
  file: 'memory.min',
  current: '0',
  desired: '4096',
  action: 'write',
  reason: 'r',
};
const WRITTEN = { write: ENTRY, outcome: 'written', error: null } as const;

function printed(...results: readonly WriteResult<PlanEntry>[]) {
  const io = new RecordingIo();
  const result = applyResult(results, {}, []);
  printApplyResult(io, 'table', result);
  return { entries: result.entries, warnings: io.warnings };
}

it('says through whom each value was written, where there is more than one way', () => {
  const { entries, warnings } = printed(
    { ...WRITTEN, writer: 'systemd' },
    { ...WRITTEN, writer: 'cgroupfs', because: 'systemd has no unit kubepods.slice' },
    { write: ENTRY, outcome: 'failed', error: 'no', code: 'EACCES' },
  );
  expect(entries).toEqual([
    { ...ENTRY, outcome: 'written', error: null, writer: 'systemd' },
    {
      ...{ ...ENTRY, outcome: 'written', error: null },
      ...{ writer: 'cgroupfs', because: 'systemd has no unit kubepods.slice' },
    },
    { ...ENTRY, outcome: 'failed', error: 'no' },
  ]);
  expect(warnings).toEqual([
    '1 of 3 writes failed; their errors are in the output',
    '1 of 3 values were written directly and not through systemd: systemd has no unit kubepods.slice',
  ]);
});

it('gives one of several reasons', () => {
  const direct = { ...WRITTEN, writer: 'cgroupfs' } as const;
  const { warnings } = printed(
    { ...direct, because: 'a' },
    { ...direct, because: 'b' },
    { ...direct, because: 'a' },
    { ...direct, because: 'c' },
  );
  expect(warnings).toEqual([
    '4 of 4 values were written directly and not through systemd: a; and for 2 more reasons, which are in the output as JSON',
  ]);
});

it('says nothing of it where there is but one way', () => {
  expect(printed(WRITTEN)).toEqual({
    entries: [{ ...ENTRY, outcome: 'written', error: null }],
    warnings: [],
  });
});
