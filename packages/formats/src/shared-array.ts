const SLAB_BYTES = 1 << 20;

/**
 * Arrays of numbers for many columns, all zero, in memory that threads can share. Narrow columns share a
 * buffer, because a buffer of its own costs more than a short column is worth.
 */
export function sharedFloats(columns: number, length: number): Float64Array[] {
  const perSlab = columnsPerSlab(length * 8);
  return Array.from(slabs(columns, perSlab), (count) => new SharedArrayBuffer(count * length * 8)).flatMap(
    (slab) => views(slab, length * 8, (offset) => new Float64Array(slab, offset, length)),
  );
}

/** The same for codes of categories. */
export function sharedCodes(columns: number, length: number): Int32Array[] {
  const perSlab = columnsPerSlab(length * 4);
  return Array.from(slabs(columns, perSlab), (count) => new SharedArrayBuffer(count * length * 4)).flatMap(
    (slab) => views(slab, length * 4, (offset) => new Int32Array(slab, offset, length)),
  );
}

function columnsPerSlab(bytes: number): number {
  return Math.max(1, Math.floor(SLAB_BYTES / Math.max(1, bytes)));
}

function* slabs(columns: number, perSlab: number): Generator<number> {
  for (let first = 0; first < columns; first += perSlab) yield Math.min(perSlab, columns - first);
}

function views<T>(slab: SharedArrayBuffer, bytes: number, view: (offset: number) => T): T[] {
  return Array.from({ length: slab.byteLength / bytes }, (_, index) => view(index * bytes));
}
