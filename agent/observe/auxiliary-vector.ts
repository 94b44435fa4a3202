/** How a process' auxiliary vector is laid out: pairs of words, the first a type, the second its value. */
export interface VectorLayout {
  readonly wordBytes: 4 | 8;
  readonly isLittleEndian: boolean;
}

const AT_PAGESZ = 6n;

/**
 * The page size in bytes from /proc/self/auxv (getauxval(3), AT_PAGESZ); undefined where it is not in there or is no
 * power of two, which means that the layout is another one.
 */
export function parsePageSize(vector: Uint8Array, layout: VectorLayout): number | undefined {
  const view = new DataView(vector.buffer, vector.byteOffset, vector.byteLength);
  const word = (offset: number): bigint =>
    layout.wordBytes === 8
      ? view.getBigUint64(offset, layout.isLittleEndian)
      : BigInt(view.getUint32(offset, layout.isLittleEndian));
  const pairBytes = layout.wordBytes * 2;
  for (let offset = 0; offset + pairBytes <= vector.byteLength; offset += pairBytes) {
    if (word(offset) === AT_PAGESZ) {
      const size = word(offset + layout.wordBytes);
      const isPlausible = size >= 1024n && size <= 16n * 1024n * 1024n && (size & (size - 1n)) === 0n;
      return isPlausible ? Number(size) : undefined;
    }
  }
  return undefined;
}
