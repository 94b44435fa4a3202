import { describe, expect, it } from 'vitest';
import { chooseDriver, detectDriver } from '../../cgroup/driver.ts';
import { FakeTree } from '../fakes/tree.ts';

describe('detectDriver', () => {
  it.each([
    ['a slice is systemd', ['kubepods.slice/'], '/', 'systemd'],
    ['a plain folder is cgroupfs', ['kubepods/'], '/', 'cgroupfs'],
    ['neither says nothing', ['system.slice/'], '/', undefined],
    ['both say nothing', ['kubepods/', 'kubepods.slice/'], '/', undefined],
    ['nested under systemd', ['kubelet.slice/kubelet-kubepods.slice/'], '/kubelet', 'systemd'],
    ['nested under cgroupfs', ['kubelet/kubepods/'], '/kubelet', 'cgroupfs'],
    ['elsewhere than cgroupRoot says nothing', ['kubepods.slice/'], '/kubelet', undefined],
  ])('%s', (_name, folders, root, driver) => {
    const tree = new FakeTree(Object.fromEntries(folders.map((folder) => [folder, ''])));
    expect(detectDriver(tree, root)).toBe(driver);
  });

  it('a folder that cannot be listed is not seen', () => {
    const tree = new FakeTree({ 'kubepods/': '', 'kubepods.slice/': '' }).failFolder('kubepods', 'EACCES');
    expect(detectDriver(tree, '/')).toBe('systemd');
  });
});

describe('chooseDriver', () => {
  const base = {
    asked: undefined,
    found: undefined,
    configured: 'cgroupfs',
    configuredIsStated: false,
  } as const;
  const said = (message: string) => [
    { code: 'cgroup-driver-disagreement', message, cgroup: null, pod: null },
  ];

  it.each([
    ['nothing said: the default of the configuration', base, 'cgroupfs', []],
    ['the configuration', { ...base, configured: 'systemd', configuredIsStated: true }, 'systemd', []],
    ['the tree wins over an unstated default without a word', { ...base, found: 'systemd' }, 'systemd', []],
    [
      'the tree wins over what is stated',
      { ...base, found: 'systemd', configuredIsStated: true },
      'systemd',
      said('cgroup driver systemd is used, but KubeletConfiguration says cgroupfs'),
    ],
    [
      'what is asked wins over the tree',
      { ...base, asked: 'cgroupfs', found: 'systemd' },
      'cgroupfs',
      said('cgroup driver cgroupfs is used, but the cgroup tree is laid out by systemd'),
    ],
    [
      'what is asked wins over both',
      { ...base, asked: 'systemd', found: 'cgroupfs', configuredIsStated: true },
      'systemd',
      said(
        'cgroup driver systemd is used, but the cgroup tree is laid out by cgroupfs and KubeletConfiguration says cgroupfs',
      ),
    ],
    [
      'all agree',
      { asked: 'systemd', found: 'systemd', configured: 'systemd', configuredIsStated: true },
      'systemd',
      [],
    ],
  ] as const)('%s', (...[, sources, driver, warnings]) => {
    expect(chooseDriver(sources)).toEqual({ driver, warnings });
  });
});
