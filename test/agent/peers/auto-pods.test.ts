import { describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../agent/exit.ts';
import type { PodsRead } from '../../../agent/model/pods-read.ts';
import { type AutoSource, autoPods } from '../../../agent/peers/auto-pods.ts';
import type { FeedNews } from '../../../agent/ports.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { podOf } from '../../fakes/pods.ts';

const NONE = new AbortController().signal;

/** A source whose answer the test sets: a list, a sentence of a lack, or undefined for what is not there; a slow one never answers. */
class SaidSource implements AutoSource {
  readonly name: string;
  answer: PodsRead | string | undefined;
  isSlow = false;
  asked = 0;

  constructor(name: string, answer: PodsRead | string | undefined) {
    this.name = name;
    this.answer = answer;
  }

  async list(): Promise<PodsRead | undefined> {
    this.asked += 1;
    if (this.isSlow) return await new Promise(() => undefined);
    if (typeof this.answer === 'string') throw new Failure(EXIT.unavailable, this.answer);
    return this.answer;
  }
}

function read(...names: readonly string[]): PodsRead {
  return { pods: names.map((name) => podOf({ name })), warnings: [] };
}

function feedOf(...sources: readonly AutoSource[]) {
  const clock = new FakeClock();
  const feed = autoPods({ sources, everyMs: 1000, deadlineMs: 5000, patienceMs: 60_000, clock });
  const told: string[] = [];
  const stop = new AbortController();
  const follow = () => feed.follow((news) => told.push(shown(news)), stop.signal);
  return { feed, clock, told, follow, stop };
}

function shown(news: FeedNews): string {
  switch (news.kind) {
    case 'none':
      return 'none';
    case 'lack':
      return `lack: ${news.failure.message}`;
    case 'pods': {
      const warnings = news.read.warnings.map(({ message }) => ` (${message})`).join('');
      return `${news.from}: ${news.read.pods.map(({ name }) => name).join(' ')}${warnings}`;
    }
  }
}

describe('the best source', () => {
  it('is the first that answers, with a word on those that were there and did not', async () => {
    const kubelet = new SaidSource('kubelet:k', 'the kubelet says no');
    const runtime = new SaidSource('cri:r', read('web'));
    const { feed } = feedOf(kubelet, runtime, new SaidSource('auto', read('static')));
    const fed = await feed.list(NONE);
    expect(fed?.from).toBe('cri:r');
    expect(fed?.read.pods.map(({ name }) => name)).toEqual(['web']);
    expect(fed?.read.warnings.map(({ code, message }) => [code, message])).toEqual([
      ['pods-source', 'the kubelet says no; the pods are taken from cri:r'],
    ]);
  });

  it('is none where none is there', async () => {
    const { feed } = feedOf(new SaidSource('kubelet:k', undefined), new SaidSource('auto', undefined));
    expect(await feed.list(NONE)).toBeUndefined();
  });

  it('is missed with the sentence of the best that is there', async () => {
    const { feed } = feedOf(
      new SaidSource('kubelet:k', undefined),
      new SaidSource('cri:r', 'the runtime says no'),
      new SaidSource('auto', 'no folder may be read'),
    );
    await expect(feed.list(NONE)).rejects.toThrow('the runtime says no');
  });
});

describe('a feed of several sources', () => {
  it('tells a list once as long as it is the same, and again when it has changed', async () => {
    const kubelet = new SaidSource('kubelet:k', read('web'));
    const { clock, told, follow, stop } = feedOf(kubelet);
    const following = follow();
    await clock.advance(5500);
    kubelet.answer = read('web', 'db');
    await clock.advance(1000);
    expect(told).toEqual(['kubelet:k: web', 'kubelet:k: web db']);
    expect(kubelet.asked).toBe(7);
    stop.abort();
    await following;
  });

  it('waits for the source in use, and takes the next one only when its time is over', async () => {
    const kubelet = new SaidSource('kubelet:k', read('web'));
    const runtime = new SaidSource('cri:r', read('web-of-runtime'));
    const { clock, told, follow, stop } = feedOf(kubelet, runtime);
    const following = follow();
    await clock.advance(500);
    kubelet.answer = 'the kubelet is away';
    await clock.advance(59_000);
    expect(told).toEqual(['kubelet:k: web', 'lack: the kubelet is away']);
    expect(runtime.asked).toBe(0);
    await clock.advance(3000);
    expect(told.slice(2)).toEqual([
      'cri:r: web-of-runtime (the kubelet is away; the pods are taken from cri:r)',
    ]);
    stop.abort();
    await following;
  });

  it('goes back to a better source within half a minute', async () => {
    const kubelet = new SaidSource('kubelet:k', undefined);
    const runtime = new SaidSource('cri:r', read('web-of-runtime'));
    const { clock, told, follow, stop } = feedOf(kubelet, runtime);
    const following = follow();
    await clock.advance(10_000);
    kubelet.answer = read('web');
    await clock.advance(19_000);
    expect(told).toEqual(['cri:r: web-of-runtime']);
    await clock.advance(2000);
    expect(told).toEqual(['cri:r: web-of-runtime', 'kubelet:k: web']);
    stop.abort();
    await following;
  });

  it('says that the source in use is gone, and that nothing is left', async () => {
    const runtime = new SaidSource('cri:r', read('web'));
    const { clock, told, follow, stop } = feedOf(runtime);
    const following = follow();
    await clock.advance(500);
    runtime.answer = undefined;
    await clock.advance(62_000);
    expect(told).toEqual([
      'cri:r: web',
      'lack: cri:r, which the pods came from, is not there any more',
      'none',
    ]);
    runtime.answer = read('web');
    await clock.advance(1000);
    expect(told.slice(3)).toEqual(['cri:r: web']);
    stop.abort();
    await following;
  });

  it('does not wait for a source longer than one answer may take', async () => {
    const kubelet = new SaidSource('kubelet:k', undefined);
    kubelet.isSlow = true;
    const { clock, told, follow, stop } = feedOf(kubelet, new SaidSource('auto', read('static')));
    const following = follow();
    await clock.advance(4999);
    expect(told).toEqual([]);
    await clock.advance(1);
    expect(told).toEqual([
      'auto: static (kubelet:k did not answer within 5 s; it is asked again; the pods are taken from auto)',
    ]);
    stop.abort();
    await following;
  });
});
