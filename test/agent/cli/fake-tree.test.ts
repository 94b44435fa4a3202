import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, SECRETIVE_KUBELET, SECRETIVE_PODS, Workplace } from '../../fakes/fake-nodes.ts';

const work = new Workplace();
const pods = work.write('pods.yaml', SECRETIVE_PODS);
const kubelet = work.write('kubelet.yaml', SECRETIVE_KUBELET);
const node = work.path('node');
const mount = join(node, 'sys/fs/cgroup');

beforeAll(async () => {
  const built = await run(
    'fake-tree',
    '--pods',
    pods,
    '--dir',
    node,
    '--kubelet-config',
    kubelet,
    '--memory-capacity',
    '8Gi',
    '--driver',
    'systemd',
  );
  expect(built).toEqual({ status: 0, stdout: `${node}/pods.json\n`, stderr: '', warnings: [] });
});
afterAll(() => {
  work.remove();
});

const read = (path: string): string => readFileSync(join(mount, path), 'utf8');
const number = (path: string): number => Number(read(path));
const folders = (path: string): string[] =>
  readdirSync(join(mount, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
const DB = 'kubepods.slice/kubepods-pod0a0a0a0a_1111_4222_8333_444444444444.slice';
const WEB =
  'kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b0b0b0b_1111_4222_8333_444444444444.slice';

describe('a fake node', () => {
  it('has a cgroup for each pod that runs, under its class, and none for one that has ended', () => {
    expect(folders('')).toEqual(['init.scope', 'kubepods.slice', 'system.slice']);
    expect(folders('kubepods.slice')).toEqual([
      'kubepods-besteffort.slice',
      'kubepods-burstable.slice',
      'kubepods-pod0a0a0a0a_1111_4222_8333_444444444444.slice',
    ]);
    expect(folders('kubepods.slice/kubepods-burstable.slice')).toHaveLength(2);
    expect(folders('kubepods.slice/kubepods-besteffort.slice')).toHaveLength(1);
  });

  it('has scopes for sandbox, sidecar and container, but none for an init container that has ended', () => {
    expect(folders(DB)).toHaveLength(3);
    expect(folders(DB).every((name) => /^cri-containerd-[0-9a-f]{64}\.scope$/.test(name))).toBe(true);
  });

  it('has memory.max as the kubelet sets it', () => {
    expect(read('kubepods.slice/memory.max')).toBe(`${(8192 - 384) * 1048576}\n`);
    expect(read('system.slice/memory.max')).toBe(`${128 * 1048576}\n`);
    expect(read(`${DB}/memory.max`)).toBe(`${544 * 1048576}\n`);
    expect(read(`${WEB}/memory.max`)).toBe(`${1034 * 1048576}\n`);
    expect(read('kubepods.slice/kubepods-burstable.slice/memory.max')).toBe('max\n');
    expect(read('kubepods.slice/kubepods-besteffort.slice/memory.max')).toBe('max\n');
  });

  it('has counters that add up at every level', () => {
    const below = (path: string): number =>
      folders(path).reduce((sum, name) => sum + number(`${path}/${name}/memory.current`), 0);
    for (const path of [
      'kubepods.slice',
      'kubepods.slice/kubepods-burstable.slice',
      DB,
      WEB,
      'system.slice',
    ]) {
      expect([path, number(`${path}/memory.current`)]).toEqual([path, below(path)]);
    }
    const key = (path: string, name: string): number =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(read(`${path}memory.stat`))?.[1]);
    for (const name of ['anon', 'file', 'inactive_file']) {
      const sum = folders('').reduce((total, folder) => total + key(`${folder}/`, name), 0);
      expect([name, key('', name)]).toEqual([name, sum]);
    }
  });

  it('prints its files as Linux 6.1 does', () => {
    const stat = read(`${WEB}/memory.stat`);
    expect(stat.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...'anon file kernel kernel_stack pagetables sec_pagetables percpu sock vmalloc shmem zswap zswapped'.split(
        ' ',
      ),
      ...'file_mapped file_dirty file_writeback swapcached anon_thp file_thp shmem_thp inactive_anon'.split(
        ' ',
      ),
      ...'active_anon inactive_file active_file unevictable slab_reclaimable slab_unreclaimable slab'.split(
        ' ',
      ),
      ...'workingset_refault_anon workingset_refault_file workingset_activate_anon'.split(' '),
      ...'workingset_activate_file workingset_restore_anon workingset_restore_file'.split(' '),
      ...'workingset_nodereclaim pgscan pgsteal pgscan_kswapd pgscan_direct pgsteal_kswapd'.split(' '),
      ...'pgsteal_direct pgfault pgmajfault pgrefill pgactivate pgdeactivate pglazyfree pglazyfreed'.split(
        ' ',
      ),
      ...'zswpin zswpout thp_fault_alloc thp_collapse_alloc'.split(' '),
      '',
    ]);
    expect(read(`${WEB}/memory.events`)).toBe('low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n');
    expect(read(`${WEB}/memory.high`)).toBe('max\n');
    expect(read(`${WEB}/memory.low`)).toBe('0\n');
    expect(read(`${WEB}/cgroup.events`)).toBe('populated 1\nfrozen 0\n');
    expect(existsSync(join(mount, 'memory.current'))).toBe(false);
    expect(read('cgroup.controllers')).toContain('memory');
    expect(readFileSync(join(node, 'proc/meminfo'), 'utf8')).toMatch(/^MemTotal: {8}8388608 kB\n/);
  });

  it('marks itself as fake, at its top and at its cgroup root', () => {
    expect(existsSync(join(node, '.nodeqos-fake'))).toBe(true);
    expect(existsSync(join(mount, '.nodeqos-fake'))).toBe(true);
  });

  it('is planned for with its own pods, each container found', async () => {
    const plan = await run('plan', '--root', node, '--pods', join(node, 'pods.json'), '-o', 'json');
    expect(plan.status).toBe(0);
    const { summary } = JSON.parse(plan.stdout) as { summary: { missing: number; write: number } };
    expect(summary.missing).toBe(0);
    expect(summary.write).toBeGreaterThan(0);
  });

  it('goes on where it is built again: limits and cgroups stay, usage is new, pods that are gone go', async () => {
    writeFileSync(join(mount, WEB, 'memory.low'), '4096\n');
    const inode = statSync(join(mount, WEB)).ino;
    const usage = work.write(
      'usage.yaml',
      'shop/web/app: {current: 600Mi, file: 100Mi, inactiveFile: 50Mi}\n',
    );
    const fewer = work.write(
      'fewer.yaml',
      SECRETIVE_PODS.replace(
        'namespace: lab}\n  spec: {nodeName: n1, containers: [{name: job}]}',
        'namespace: lab}\n  spec: {nodeName: n1, containers: [{name: job}]}\n  status: {phase: Failed}',
      ),
    );
    const again = await run(
      'fake-tree',
      '--pods',
      fewer,
      '--dir',
      node,
      '--usage',
      usage,
      '--memory-capacity',
      '8Gi',
    );
    expect([again.status, again.stderr]).toEqual([0, '']);
    expect(read(`${WEB}/memory.low`)).toBe('4096\n');
    expect(statSync(join(mount, WEB)).ino).toBe(inode);
    expect(number(`${WEB}/memory.current`)).toBe(600 * 1048576 + 320 * 1024);
    expect(read(`${WEB}/memory.stat`)).toContain(`inactive_file ${50 * 1048576}\n`);
    expect(folders('kubepods.slice/kubepods-besteffort.slice')).toEqual([]);
    // The configuration that was copied in still counts.
    expect(read('kubepods.slice/memory.max')).toBe(`${(8192 - 384) * 1048576}\n`);
  });

  it('under cgroupfs has plain names', async () => {
    const other = work.path('cgroupfs');
    expect((await run('fake-tree', '--pods', pods, '--dir', other, '--driver', 'cgroupfs')).status).toBe(0);
    const at = join(other, 'sys/fs/cgroup/kubepods');
    expect(
      readdirSync(join(at, 'pod0a0a0a0a-1111-4222-8333-444444444444')).filter((name) =>
        /^[0-9a-f]{64}$/.test(name),
      ),
    ).toHaveLength(3);
    expect(existsSync(join(at, 'burstable/pod0b0b0b0b-1111-4222-8333-444444444444/memory.max'))).toBe(true);
  });

  it('is the same for the same input', async () => {
    const contents = (folder: string): [string, string][] =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry): [string, string] => [
          join(entry.parentPath, entry.name).slice(folder.length),
          readFileSync(join(entry.parentPath, entry.name), 'utf8'),
        ])
        .sort();
    await run('fake-tree', '--pods', pods, '--dir', work.path('one'));
    await run('fake-tree', '--pods', pods, '--dir', work.path('two'));
    expect(contents(work.path('one'))).toEqual(contents(work.path('two')));
  });
});

describe('fake-tree refuses', () => {
  const refusals: readonly [string, () => readonly string[], number, RegExp][] = [
    [
      'a folder with something else in it',
      () => ['--dir', work.folder],
      65,
      /holds something that is no fake node; give --dir an empty folder, or one that fake-tree built\n$/,
    ],
    [
      'the root of this machine',
      () => ['--dir', '/'],
      65,
      /^nodeqos: \/ holds something that is no fake node/,
    ],
    ['a file', () => ['--dir', pods], 74, /the fake node cannot be built there \(ENOTDIR\)/],
    [
      'a capacity that is none',
      () => ['--dir', work.path('x'), '--memory-capacity', 'much'],
      64,
      /--memory-capacity much/,
    ],
    [
      'usage of a container that is not there',
      () => ['--dir', work.path('x'), '--usage', work.write('u1', 'shop/web/nobody: {current: 1Mi}')],
      65,
      /u1: shop\/web\/nobody: no such container is among the pods\n$/,
    ],
    [
      'usage by pod',
      () => ['--dir', work.path('x'), '--usage', work.write('u2', 'shop/web: {current: 1Mi}')],
      65,
      /u2: shop\/web: expected namespace\/pod\/container\n$/,
    ],
    [
      'usage that is a list',
      () => ['--dir', work.path('x'), '--usage', work.write('u3', '[]')],
      65,
      /u3: expected a map of namespace\/pod\/container to usage, found a list\n$/,
    ],
    [
      'an unknown field',
      () => ['--dir', work.path('x'), '--usage', work.write('u4', 'shop/web/app: {rss: 1Mi}')],
      65,
      /u4: shop\/web\/app: expected a map with current, anon, file, inactiveFile, found the field rss\n$/,
    ],
    [
      'parts larger than the whole',
      () => ['--dir', work.path('x'), '--usage', work.write('u5', 'shop/web/app: {current: 1Mi, file: 2Mi}')],
      65,
      /u5: shop\/web\/app: anon and file together are more than current\n$/,
    ],
    [
      'more inactive files than files',
      () => [
        '--dir',
        work.path('x'),
        '--usage',
        work.write('u6', 'shop/web/app: {file: 1Mi, inactiveFile: 2Mi}'),
      ],
      65,
      /u6: shop\/web\/app: inactiveFile is more than file\n$/,
    ],
    [
      'a usage below 0',
      () => ['--dir', work.path('x'), '--usage', work.write('u7', 'shop/web/app: {current: -1}')],
      65,
      /u7: shop\/web\/app: current: a usage is not below 0\n$/,
    ],
    [
      'a usage that is no quantity',
      () => ['--dir', work.path('x'), '--usage', work.write('u8', 'shop/web/app: {current: [1]}')],
      65,
      /u8: shop\/web\/app: current: expected a quantity, found a list\n$/,
    ],
    [
      'a configuration that the kubelet refuses',
      () => [
        '--dir',
        work.path('x'),
        '--kubelet-config',
        work.write(
          'k',
          'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmemoryThrottlingFactor: 2\n',
        ),
      ],
      65,
      /k:3:1: memoryThrottlingFactor/,
    ],
    [
      'a configuration that is not there',
      () => ['--dir', work.path('x'), '--kubelet-config', work.path('none')],
      66,
      /none/,
    ],
    ['a folder where the system takes none', () => ['--dir', '/proc/nope/x'], 74, /cannot be built there/],
  ];
  it.each(refusals)('%s', async (_, argv, status, sentence) => {
    const refused = await run('fake-tree', '--pods', pods, ...argv());
    expect([refused.status, refused.stdout]).toEqual([status, '']);
    expect(refused.stderr).toMatch(sentence);
    expect(existsSync(work.path('x'))).toBe(false);
  });
});
