import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { succeed } from './commands.ts';

const BUSYBOX = '/bin/busybox';
const APPLETS = ['awk', 'cat', 'mkfifo', 'sh', 'sleep'];

/**
 * Makes an image of busybox and nothing else, as an archive of the kind that `docker save` writes, which containerd imports
 * (the Docker Image Specification v1.2).
 */
export async function makeImage(name: string, command: readonly string[], archive: string): Promise<void> {
  const folder = mkdtempSync('/tmp/image-');
  try {
    mkdirSync(`${folder}/layer/bin`, { recursive: true });
    for (const mountPoint of ['case', 'dev', 'etc', 'proc', 'sys', 'tmp'])
      mkdirSync(`${folder}/layer/${mountPoint}`);
    copyFileSync(BUSYBOX, `${folder}/layer/bin/busybox`);
    for (const applet of APPLETS) symlinkSync('busybox', `${folder}/layer/bin/${applet}`);
    await succeed('tar', '-C', `${folder}/layer`, '-cf', `${folder}/layer.tar`, '.');
    const digest = createHash('sha256')
      .update(readFileSync(`${folder}/layer.tar`))
      .digest('hex');
    const config = { Entrypoint: command, Env: ['PATH=/bin'] };
    const rootfs = { type: 'layers', diff_ids: [`sha256:${digest}`] };
    const image = { architecture: 'amd64', os: 'linux', config, rootfs };
    writeFileSync(`${folder}/config.json`, JSON.stringify(image));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    writeFileSync(`${folder}/manifest.json`, JSON.stringify(manifest));
    await succeed('tar', '-C', folder, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
