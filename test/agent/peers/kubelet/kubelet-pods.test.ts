import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPodDocuments } from '../../../../agent/observe/pods/pod-documents.ts';
import { readSummary } from '../../../../agent/observe/summary/summary.ts';
import { systemClock } from '../../../../agent/observe/system-clock.ts';
import { kubeletPods } from '../../../../agent/peers/kubelet/kubelet-pods.ts';
import { kubeletSummaryText } from '../../../../agent/peers/kubelet/kubelet-summary.ts';
import type { PodNews } from '../../../../agent/ports.ts';
import { parseJson } from '../../../../config/text/document.ts';
import type { PlainRecord } from '../../../../config/text/plain-value.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { KubeletScene, never, refusalOf, TOKEN } from '../../../fakes/kubelet-scene.ts';
import { KubeletServer } from '../../../fakes/kubelet-server.ts';
import { container, podDocument } from '../../../fakes/pods.ts';

const fixtures = process.env['NODEQOS_FIXTURES'];
if (fixtures === undefined) {
  console.info('Answers of real kubelets over TLS are skipped: NODEQOS_FIXTURES does not name their folder.');
}

let scene: KubeletScene;
let server: KubeletServer;
beforeAll(() => {
  scene = new KubeletScene();
});
beforeEach(async () => {
  server = await KubeletServer.start({ serving: scene.serving });
  server.tokens.add(TOKEN);
});
afterEach(async () => {
  scene.hangUp();
  await server.stop();
});
afterAll(() => {
  scene.remove();
});

function source() {
  return kubeletPods(scene.client(server.url), { everyMs: 10, clock: systemClock });
}

/** A pod as the kubelet lists it: without kind and version. */
function listed(name: string, metadata: PlainRecord = {}, status: PlainRecord = {}): PlainRecord {
  const spec = { nodeName: 'shelf-1', containers: [container('main', { memory: '1Mi' })] };
  const document = podDocument({
    name,
    metadata: { namespace: 'shop', uid: `uid-${name}`, ...metadata },
    spec,
    status,
  });
  const { metadata: written = null, spec: specified = null, status: reported = null } = document;
  return { metadata: written, spec: specified, status: reported };
}

function podList(...items: readonly PlainRecord[]): PlainRecord {
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}

describe('the pods of a kubelet', () => {
  it('are read as those of a file, in the order of their names', async () => {
    const annotations = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'abc' };
    server.pods = podList(
      listed('web', {}, { phase: 'Running', qosClass: 'Burstable' }),
      listed('proxy', { uid: 'abc', annotations }),
      listed('job', {}, { phase: 'Succeeded' }),
    );
    const pods = source();
    expect(pods.name).toBe(`kubelet:${server.url}`);
    const { pods: read, warnings } = await pods.list(never());
    expect(warnings).toEqual([]);
    expect(read.map(({ name, phase, isStatic, cgroupUid }) => [name, phase, isStatic, cgroupUid])).toEqual([
      ['job', 'Succeeded', false, 'uid-job'],
      ['proxy', undefined, true, 'abc'],
      ['web', 'Running', false, 'uid-web'],
    ]);
  });

  it('are none where the kubelet writes null for its list', async () => {
    expect(await source().list(never())).toEqual({ pods: [], warnings: [] });
  });

  it('are the very list of the last time as long as they are the same, in whatever order', async () => {
    const pods = source();
    server.pods = podList(listed('a'), listed('b'));
    const first = await pods.list(never());
    expect(await pods.list(never())).toBe(first);
    // As a kubelet answers from one time to the next; a probe's time is nothing that counts.
    server.pods = podList(
      listed('b'),
      listed('a', {}, { conditions: [{ type: 'Ready', lastProbeTime: 'now' }] }),
    );
    expect(await pods.list(never())).toBe(first);
    server.pods = podList(listed('a', { deletionTimestamp: '2026-01-01T00:00:00Z' }), listed('b'));
    const changed = await pods.list(never());
    expect(changed.pods.map(({ terminating }) => terminating)).toEqual([true, false]);
  });
});

describe('a kubelet that was started anew', () => {
  const annotations = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'abc' };
  const proxy = listed('proxy', { uid: 'abc', annotations });

  /** A kubelet that knows pods of both kinds and was away. */
  async function wasAway() {
    const clock = new FakeClock();
    // The connection is real, and its deadline is not what this is about.
    const client = scene.client(server.url);
    const pods = kubeletPods(client, { everyMs: 10, clock });
    server.pods = podList(listed('a'), proxy);
    const before = await pods.list(never());
    server.instead = (response) => response.writeHead(503).end();
    await refusalOf(pods.list(never()));
    server.instead = undefined;
    return { pods, before, clock };
  }

  it.each([
    ['none', podList()],
    ['static pods', podList(proxy)],
  ])('is believed when it knows more than %s', async (_, first) => {
    const { pods, before } = await wasAway();
    server.pods = first;
    const lack = [
      69,
      `the kubelet at ${server.url} does not know the pods of its API server any more, as after its start; it is asked again, and its log says what it waits for`,
    ];
    expect(await refusalOf(pods.list(never()))).toEqual(lack);
    expect(await refusalOf(pods.list(never()))).toEqual(lack);
    server.pods = podList(proxy, listed('a'));
    expect(await pods.list(never())).toBe(before);
    // It was not away since: they have gone.
    server.pods = first;
    expect((await pods.list(never())).pods.map(({ name }) => name)).not.toContain('a');
  });

  it('is believed after five minutes', async () => {
    const { pods, clock } = await wasAway();
    server.pods = podList(proxy);
    expect((await refusalOf(pods.list(never())))[0]).toBe(69);
    await clock.advance(5 * 60_000);
    expect((await refusalOf(pods.list(never())))[0]).toBe(69);
    await clock.advance(1);
    expect((await pods.list(never())).pods.map(({ name }) => name)).toEqual(['proxy']);
  });

  it('is believed at once that other pods have come, or that static ones have gone', async () => {
    const { pods } = await wasAway();
    server.pods = podList(listed('b'));
    expect((await pods.list(never())).pods.map(({ name }) => name)).toEqual(['b']);
  });

  it('is believed at once by who has never asked it, and by who knew static pods alone', async () => {
    const { pods } = await wasAway();
    server.pods = podList(proxy);
    const others = source();
    server.instead = (response) => response.writeHead(503).end();
    await refusalOf(others.list(never()));
    server.instead = undefined;
    expect((await others.list(never())).pods).toHaveLength(1);
    server.instead = (response) => response.writeHead(503).end();
    await refusalOf(others.list(never()));
    server.instead = undefined;
    server.pods = podList();
    expect((await others.list(never())).pods).toEqual([]);
    expect((await refusalOf(pods.list(never())))[0]).toBe(69);
  });
});

describe('a kubelet that is followed', () => {
  let told: string[];
  let waiting: (() => void) | undefined;
  let stop: AbortController;
  let over: Promise<void>;

  beforeEach(() => {
    told = [];
    stop = new AbortController();
    over = source().follow((news) => {
      told.push(textOf(news));
      waiting?.();
    }, stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await over;
  });

  function textOf(news: PodNews): string {
    return news.kind === 'lack' ? 'lack' : news.read.pods.map(({ name }) => name).join(' ');
  }

  async function toldTimes(count: number): Promise<void> {
    while (told.length < count) {
      await new Promise<void>((resolve) => {
        waiting = resolve;
      });
    }
  }

  it('tells who has come and who has gone, and nothing while nothing changes', async () => {
    await toldTimes(1);
    server.pods = podList(listed('a'));
    await toldTimes(2);
    const asked = server.asked.length;
    while (server.asked.length < asked + 5) await systemClock.sleep(5, never());
    server.pods = podList(listed('b'), listed('a'));
    await toldTimes(3);
    server.pods = podList(listed('b'));
    await toldTimes(4);
    expect(told).toEqual(['', 'a', 'a b', 'b']);
  });

  it('tells that it is away, and the list again when it is back', async () => {
    await toldTimes(1);
    server.instead = (response) => response.writeHead(503).end();
    await toldTimes(2);
    server.instead = undefined;
    await toldTimes(3);
    expect(told).toEqual(['', 'lack', '']);
  });

  it('is found again after it was started anew', async () => {
    await toldTimes(1);
    const { port } = server;
    await server.stop();
    await toldTimes(2);
    server = await KubeletServer.start({ serving: scene.serving }, port);
    server.tokens.add(TOKEN);
    server.pods = podList(listed('a'));
    await toldTimes(3);
    expect(told).toEqual(['', 'lack', 'a']);
  });
});

describe.skipIf(fixtures === undefined)('answers of real kubelets, over TLS', () => {
  const folder = join(fixtures ?? '', 'kubelet-api');

  it.each(['1.9-minikube-2018', '1.31-kubelet', '1.34-kubelet'])('%s', async (version) => {
    const pods = readFileSync(join(folder, `L-${version}-pods.json`), 'utf8');
    const summary = readFileSync(join(folder, `${version}-stats-summary.json`), 'utf8');
    Object.assign(server, { pods, summary });
    const fromFile = readPodDocuments({ file: 'pods.json', text: pods });
    if (!fromFile.ok) throw new Error(fromFile.message);
    const read = (await source().list(never())).pods;
    expect(read).toHaveLength(fromFile.value.pods.length);
    for (const pod of fromFile.value.pods) expect(read).toContainEqual(pod);
    expect(read.map(({ uid }) => uid)).not.toContain(undefined);

    const { file, text } = await kubeletSummaryText(scene.client(server.url), never());
    expect(file).toBe(`the kubelet at ${server.url}, /stats/summary`);
    const value = parseJson(text) ?? null;
    expect(readSummary(value, read)).toEqual(readSummary(parseJson(summary) ?? null, fromFile.value.pods));
    expect(readSummary(value, read).ok).toBe(true);
  });

  it('a kubelet without pods', async () => {
    server.pods = readFileSync(join(folder, 'L-no-pods.json'), 'utf8');
    expect((await source().list(never())).pods).toEqual([]);
  });
});
