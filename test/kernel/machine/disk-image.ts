import { closeSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { findTool, runTool } from './run-tool.ts';

const MIB = 1024 * 1024;
const SECTOR_BYTES = 512;

/** Where the one partition of a disk with a partition table begins. */
const PARTITION_AT = MIB;

const DISK_ID = 0x68360001;

/** The name of the first partition by which a kernel finds it without an initrd: device names are given as disks answer. */
export const ROOT_PARTITION = 'PARTUUID=68360001-01';

/** Makes an ext4 image of a folder, owned by root inside, with so much room to spare; no loop device, no mount. */
export async function makeDisk(folder: string, image: string, spareMib: number): Promise<void> {
  await fileSystem(folder, image, { spareMib, offset: 0 });
}

/** The same in the one partition of a disk with a partition table. */
export async function makeRootDisk(folder: string, image: string, spareMib: number): Promise<void> {
  const sizeMib = await fileSystem(folder, image, { spareMib, offset: PARTITION_AT });
  writePartitionTable(image, sizeMib);
}

async function fileSystem(
  folder: string,
  image: string,
  { spareMib, offset }: { readonly spareMib: number; readonly offset: number },
): Promise<number> {
  const usedKib = Number((await runTool('du', ['-sk', folder])).split('\t')[0]);
  const sizeMib = Math.ceil((usedKib * 1.1) / 1024) + spareMib;
  rmSync(image, { force: true });
  writeFileSync(image, '');
  truncateSync(image, sizeMib * MIB + offset);
  const options = `lazy_itable_init=1,root_owner=0:0${offset === 0 ? '' : `,offset=${offset}`}`;
  const settings = ['-q', '-F', '-t', 'ext4', '-d', folder, '-O', '^has_journal', '-m', '0', '-E', options];
  await runTool(findTool('mke2fs') ?? 'mke2fs', [...settings, image, `${sizeMib}M`]);
  return sizeMib;
}

/** A partition table of the PC's kind with one Linux partition. */
function writePartitionTable(image: string, sizeMib: number): void {
  const sector = Buffer.alloc(SECTOR_BYTES);
  sector.writeUInt32LE(DISK_ID, 440);
  const entry = 446;
  sector.writeUInt8(0x83, entry + 4);
  sector.writeUInt32LE(PARTITION_AT / SECTOR_BYTES, entry + 8);
  sector.writeUInt32LE((sizeMib * MIB) / SECTOR_BYTES, entry + 12);
  sector.writeUInt16LE(0xaa55, 510);
  const fd = openSync(image, 'r+');
  try {
    // The bytes before the table are for code that starts a system; ours is started without.
    writeSync(fd, sector, 440, SECTOR_BYTES - 440, 440);
  } finally {
    closeSync(fd);
  }
}
