import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run, SECRETIVE_PODS, Workplace } from '../fakes/fake-nodes.ts';
import { nodeqos } from './binary.ts';

const NOBODY = 65534;
const work = new Workplace();
afterAll(() => {
  work.remove();
});

describe('capture', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'by a user who may not read all answers as the node does to that user (only root can play this)',
    async () => {
      chmodSync(work.folder, 0o755);
      const node = work.path('node');
      const home = work.path('home');
      mkdirSync(home);
      chmodSync(home, 0o777);
      await run('fake-tree', '--pods', work.write('pods.yaml', SECRETIVE_PODS), '--dir', node);
      const burstable = join(node, 'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice');
      const [pod = ''] = readdirSync(burstable).filter((name) => name.includes('-pod'));
      chmodSync(join(burstable, pod, 'memory.min'), 0);
      chmodSync(join(burstable, 'memory.low'), 0);
      const pods = ['--pods', join(node, 'pods.json')];
      const archive = join(home, 'node.tar.gz');
      const captured = nodeqos(['capture', archive, '--root', node, ...pods], { uid: NOBODY });
      expect(captured.status).toBe(0);
      expect(captured.stderr).toContain('2 files could not be read and are captured as such');
      for (const question of [
        ['plan', '-o', 'json'],
        ['status', '-o', 'json'],
        ['rank', '-o', 'json'],
      ]) {
        const live = nodeqos([...question, '--root', node, ...pods], { uid: NOBODY });
        expect(live.status).toBe(0);
        expect(nodeqos([...question, '--root', archive], { uid: NOBODY })).toEqual(live);
        // The capture says what that user saw, also to somebody who may read everything.
        expect(nodeqos([...question, '--root', archive]).stdout).toBe(live.stdout);
      }
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    'that may not be opened, or written where it was asked for, ends with 77 (only root can play this)',
    () => {
      const locked = work.write('locked.tar.gz', 'x');
      chmodSync(locked, 0);
      const opened = nodeqos(['plan', '--root', locked], { uid: NOBODY });
      expect([opened.status, opened.stderr]).toEqual([
        77,
        `nodeqos: ${locked} may not be read by this user (EACCES)\n`,
      ]);
      const path = work.path('mine.tar.gz');
      const written = nodeqos(['capture', path, '--root', work.path('node')], { uid: NOBODY });
      expect([written.status, written.stdout]).toEqual([77, '']);
      expect(written.stderr).toContain(`nodeqos: ${path} may not be written by this user (EACCES)\n`);
    },
  );
});
