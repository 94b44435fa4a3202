import { describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import { kubeletAddress } from '../../../../agent/peers/kubelet/address.ts';
import type { KubeletClient } from '../../../../agent/peers/kubelet/kubelet-client.ts';
import { followedSummary, kubeletSummaryText } from '../../../../agent/peers/kubelet/kubelet-summary.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { never, refusalOf } from '../../../fakes/kubelet-scene.ts';

/** A kubelet that answers as it is told to. */
class TellingKubelet implements KubeletClient {
  readonly address = kubeletAddress('https://127.0.0.1:10250');
  readonly name = 'the kubelet at https://127.0.0.1:10250';
  readonly deadlineMs = 5000;
  readonly askedAtMs: number[] = [];
  /** A text, or nothing: it is away. */
  answer: string | undefined = '{"node":{}}';
  readonly clock = new FakeClock();

  async get(): Promise<Buffer> {
    this.askedAtMs.push(this.clock.nowMs());
    await Promise.resolve();
    if (this.answer === undefined) throw new Failure(EXIT.unavailable, 'it is away');
    return Buffer.from(this.answer);
  }

  close(): void {
    // Nothing is open.
  }
}

const FILE = 'the kubelet at https://127.0.0.1:10250, /stats/summary';
const UNTOLD = 'the kubelet at https://127.0.0.1:10250 has not told its statistics yet';

function followed() {
  const kubelet = new TellingKubelet();
  const { clock } = kubelet;
  const stop = new AbortController();
  const summary = followedSummary(kubelet, { clock });
  const over = summary.follow(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await over;
  };
  return { kubelet, clock, summary, end };
}

describe('one answer', () => {
  it('is a text that says where it is from', async () => {
    expect(await kubeletSummaryText(new TellingKubelet(), never())).toEqual({
      file: FILE,
      text: '{"node":{}}',
    });
  });

  it('65: is no JSON', async () => {
    const kubelet = new TellingKubelet();
    kubelet.answer = 'node: {}';
    expect(await refusalOf(kubeletSummaryText(kubelet, never()))).toEqual([
      65,
      `${kubelet.name} answers /stats/summary with text that is not JSON; check that a kubelet listens there, and not something in front of it`,
    ]);
  });
});

describe('a summary that is followed', () => {
  it('is asked for every five seconds, and is the same as long as no other one has come', async () => {
    const { kubelet, clock, summary, end } = followed();
    expect(summary.now()).toEqual({ summary: undefined, lack: UNTOLD });
    await clock.advance(0);
    const first = summary.now();
    expect(first).toEqual({ summary: { file: FILE, text: '{"node":{}}' } });
    await clock.advance(4999);
    expect(summary.now().summary).toBe(first.summary);
    await clock.advance(1);
    expect(summary.now().summary).not.toBe(first.summary);
    await clock.advance(10_000);
    expect(kubelet.askedAtMs).toEqual([0, 5000, 10_000, 15_000]);
    await end();
  });

  it('serves for as long as a sample may be old while the kubelet is away, and no longer', async () => {
    const { kubelet, clock, summary, end } = followed();
    await clock.advance(0);
    const { summary: last } = summary.now();
    kubelet.answer = undefined;
    await clock.advance(5000);
    expect(summary.now()).toEqual({ summary: last, lack: 'it is away' });
    await clock.advance(25_000);
    expect(summary.now().summary).toBe(last);
    await clock.advance(1);
    expect(summary.now()).toEqual({ summary: undefined, lack: 'it is away' });
    kubelet.answer = '{"node":{},"pods":[]}';
    await clock.advance(5000);
    expect(summary.now()).toEqual({ summary: { file: FILE, text: '{"node":{},"pods":[]}' } });
    await end();
  });

  it('can be waited for, until it is told or the time is over', async () => {
    const { kubelet, clock, summary, end } = followed();
    await summary.heard(1000);
    expect(summary.now().summary?.file).toBe(FILE);
    await summary.heard(1000);
    await end();

    const silent = followedSummary(kubelet, { clock });
    const waited = silent.heard(1000);
    await clock.advance(1000);
    await waited;
    expect(silent.now()).toEqual({ summary: undefined, lack: UNTOLD });
  });

  it('can be waited for until it is told that the kubelet is away', async () => {
    const kubelet = new TellingKubelet();
    kubelet.answer = undefined;
    const stop = new AbortController();
    const summary = followedSummary(kubelet, { clock: kubelet.clock });
    const over = summary.follow(stop.signal);
    await summary.heard(1000);
    expect(summary.now()).toEqual({ summary: undefined, lack: 'it is away' });
    stop.abort();
    await over;
  });
});
