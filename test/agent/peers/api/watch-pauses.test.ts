import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT, Failure } from '../../../../agent/exit.ts';
import type { ApiAnswer, WatchEnd, WatchListener } from '../../../../agent/peers/api/api-client.ts';
import { apiPods } from '../../../../agent/peers/api/api-pods.ts';
import { ScriptedClient } from '../../../fakes/api-server/scripted-client.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';

let clock: FakeClock;
let client: ScriptedClient;
/** `MS NAMES`, or `MS lack SENTENCE`. */
let told: string[];
let end: AbortController;
let following: Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  client = new ScriptedClient(clock, endsAtOnce);
  told = [];
  end = new AbortController();
});

afterEach(async () => {
  end.abort();
  await following;
});

function follow(): void {
  const pods = apiPods({ client: () => Promise.resolve(client), nodeName: 'node-1', clock });
  following = pods.follow((news) => {
    const names = news.kind === 'pods' ? news.read.pods.map(({ name }) => name).join(' ') : '';
    const shown = news.kind === 'lack' ? `lack ${news.failure.message}` : names;
    told.push(`${clock.nowMs()} ${shown}`);
  }, end.signal);
}

const CLOSED: WatchEnd = { kind: 'closed' };

/** Answered with 200, and over: what a proxy makes of a watch that does not know one. */
function endsAtOnce(listener: WatchListener): WatchEnd {
  listener.begun();
  return CLOSED;
}

/** Begun, silent, and closed after a time by the server, or sooner by who listens. */
function lasts(ms: number) {
  return async (listener: WatchListener, signal: AbortSignal): Promise<WatchEnd> => {
    listener.begun();
    await clock.sleep(ms, signal);
    return CLOSED;
  };
}

function isAway(): never {
  throw new Failure(EXIT.unavailable, 'it does not listen');
}

function status(code: number, details?: ApiAnswer['body']): ApiAnswer {
  return {
    status: code,
    body: { kind: 'Status', message: '', ...(details === undefined ? {} : { details }) },
  };
}

const FORBIDDEN =
  'lack the API server does not let nodeqos watch pods; allow it the verb "watch" on pods in a ClusterRole';

describe('watches that end', () => {
  it('at once, each of them: the pods are listed every two seconds, and what is new is seen', async () => {
    follow();
    await clock.advance(8500);
    expect(client.asked).toEqual([
      '0 list 0',
      '0 watch 10',
      '0 watch 10',
      '1000 watch 10',
      '2000 list 10',
      '2000 watch 10',
      '4000 list 10',
      '4000 watch 10',
      '6000 list 10',
      '6000 watch 10',
      '8000 list 10',
      '8000 watch 10',
    ]);
    client.pods = ['x', 'y'];
    client.revision = 11;
    await clock.advance(3000);
    expect(client.asked.slice(12)).toEqual([
      '10000 list 10',
      '10000 watch 11',
      '11000 list 11',
      '11000 watch 11',
    ]);
    expect(told).toEqual(['0 x', '10000 x y']);
  });

  it('at once, and then not any more: the next that ends is begun again at once', async () => {
    follow();
    await clock.advance(60_000);
    client.onWatch = lasts(3000);
    client.asked.length = 0;
    await clock.advance(5500);
    expect(client.asked).toEqual(['62000 list 10', '62000 watch 10', '65000 list 10', '65000 watch 10']);
    client.onWatch = endsAtOnce;
    client.asked.length = 0;
    await clock.advance(6500);
    const watches = client.asked.filter((text) => text.includes('watch'));
    expect(watches).toEqual(['68000', '68000', '69000', '70000', '72000'].map((ms) => `${ms} watch 10`));
  });

  it('at once, but with news in each: they go on where they were, once a second', async () => {
    client.onWatch = (listener) => {
      listener.begun();
      client.add(listener, `p${client.revision}`);
      return CLOSED;
    };
    follow();
    await clock.advance(3500);
    expect(client.asked).toEqual([
      '0 list 0',
      '0 watch 10',
      '0 watch 11',
      '1000 watch 12',
      '2000 watch 13',
      '3000 watch 14',
    ]);
  });

  it('with what was told before, again and again: no news, so that the pods are listed', async () => {
    client.onWatch = (listener) => {
      listener.begun();
      listener.event({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '10' } } });
      return CLOSED;
    };
    follow();
    await clock.advance(3000);
    expect(client.asked.filter((text) => text.includes('list'))).toEqual(['0 list 0', '2000 list 10']);
  });

  it('after a silence, each of them: with every third one nothing is taken for granted', async () => {
    client.onWatch = lasts(1e9);
    follow();
    await clock.advance(300_000);
    expect(client.asked).toEqual([
      '0 list 0',
      '0 watch 10',
      '90000 watch 10',
      '180000 watch 10',
      '270000 list 10',
      '270000 watch 10',
    ]);
    expect(told).toEqual(['0 x']);
  });

  it('since their version is forgotten, each of them: a list of now, at most every two seconds', async () => {
    client.onWatch = () => ({ kind: 'refused', answer: status(410) });
    follow();
    await clock.advance(6500);
    expect(client.asked).toEqual([
      '0 list 0',
      '0 watch 10',
      '0 list now',
      '0 watch 10',
      '1000 list now',
      '1000 watch 10',
      '2000 list now',
      '2000 watch 10',
      '4000 list now',
      '4000 watch 10',
      '6000 list now',
      '6000 watch 10',
    ]);
    expect(told).toEqual(['0 x']);
  });

  it('since the server was set back and has not got to their version: a list of now', async () => {
    const refused = { causes: [{ reason: 'ResourceVersionTooLarge' }] };
    client.onWatch = () => ({ kind: 'refused', answer: status(504, refused) });
    follow();
    await clock.advance(0);
    client.pods = [];
    client.onWatch = lasts(1e9);
    await clock.advance(1000);
    expect(client.asked.slice(-2)).toEqual(['1000 list now', '1000 watch 10']);
    expect(told).toEqual(['0 x', '1000 ']);
  });

  it('with nonsense, each of them: told once, and the lists count', async () => {
    client.onWatch = (listener) => {
      listener.begun();
      throw new Failure(EXIT.unavailable, 'it sends something else');
    };
    follow();
    await clock.advance(4500);
    expect(client.asked).toEqual([
      '0 list 0',
      '0 watch 10',
      '0 list 10',
      '0 watch 10',
      '1000 list 10',
      '1000 watch 10',
      '2000 list 10',
      '2000 watch 10',
      '4000 list 10',
      '4000 watch 10',
    ]);
    expect(told).toEqual(['0 x', '0 lack it sends something else', '0 x']);
  });
});

describe('a server that does not answer', () => {
  it('is told at once, tried every four seconds at most, and the lack stands', async () => {
    client.onList = isAway;
    follow();
    await clock.advance(16_000);
    expect(client.asked).toEqual(['0', '1000', '3000', '7000', '11000', '15000'].map((ms) => `${ms} list 0`));
    expect(told).toEqual(['0 lack it does not listen']);
  });

  it('after several short restarts: told in the very moment in which its watch breaks off', async () => {
    follow();
    client.onWatch = lasts(3500);
    for (let restart = 0; restart < 4; restart += 1) {
      await clock.advance(3400);
      client.onWatch = isAway;
      await clock.advance(700);
      client.onWatch = lasts(3500);
      await clock.advance(400);
    }
    const lacks = ['3500', '8000', '12500', '17000'];
    expect(told.filter((text) => text.includes('lack'))).toEqual(
      lacks.map((ms) => `${ms} lack it does not listen`),
    );
    expect(told.filter((text) => !text.includes('lack'))).toEqual([
      '0 x',
      '4500 x',
      '9000 x',
      '13500 x',
      '18000 x',
    ]);
  });

  it('says no: asked every half a minute at most, and the lack stands', async () => {
    client.onWatch = () => ({ kind: 'refused', answer: status(403) });
    follow();
    await clock.advance(92_000);
    expect(client.asked.slice(1)).toEqual(
      ['0', '1000', '3000', '7000', '15000', '31000', '61000', '91000'].map((ms) => `${ms} watch 10`),
    );
    expect(told).toEqual(['0 x', `0 ${FORBIDDEN}`]);
  });

  it('says no, then yes, then no: the pauses begin anew', async () => {
    const no = (): WatchEnd => ({ kind: 'refused', answer: status(403) });
    client.onWatch = no;
    follow();
    await clock.advance(30_000);
    client.onWatch = lasts(3000);
    await clock.advance(3000);
    client.onWatch = no;
    client.asked.length = 0;
    await clock.advance(5000);
    expect(client.asked).toEqual(['34000 watch 10', '35000 watch 10', '37000 watch 10']);
    expect(told).toEqual(['0 x', `0 ${FORBIDDEN}`, '31000 x', `34000 ${FORBIDDEN}`]);
  });

  it('at one time does not listen and at the other ends watches at once: never more than twice a second', async () => {
    let asked = 0;
    client.onWatch = (listener) => {
      asked += 1;
      return asked % 2 === 0 ? isAway() : endsAtOnce(listener);
    };
    follow();
    await clock.advance(30_000);
    expect(client.asked.length).toBeLessThan(60);
  });
});
