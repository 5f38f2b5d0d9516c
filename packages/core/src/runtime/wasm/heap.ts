/** Blocks start at multiples of a cache line, so that threads do not write to the same line. */
export const ALIGNMENT = 64;

interface Span {
  begin: number;
  end: number;
}

/**
 * Allocates blocks of an address space that starts at `begin` and can grow: first fit in a list of free spans, ordered by address
 * and merged with their neighbours. There are few and large blocks.
 */
export class Heap {
  /** Extends the space by at least this many bytes and returns by how many, 0 if it cannot. */
  readonly #grow: (bytes: number) => number;
  readonly #free: Span[] = [];
  readonly #taken = new Map<number, number>();
  #end: number;
  #used = 0;

  constructor(begin: number, grow: (bytes: number) => number) {
    this.#end = begin;
    this.#grow = grow;
  }

  /** Bytes that are allocated. */
  get used(): number {
    return this.#used;
  }

  /** Returns the address of a new block of at least `bytes`, or undefined if the space cannot grow that far. */
  allocate(bytes: number): number | undefined {
    const size = alignUp(Math.max(bytes, 1));
    const span = this.#free.find(({ begin, end }) => end - begin >= size) ?? this.#extend(size);
    if (!span) return undefined;
    const { begin } = span;
    span.begin += size;
    if (span.begin === span.end) this.#free.splice(this.#free.indexOf(span), 1);
    this.#taken.set(begin, size);
    this.#used += size;
    return begin;
  }

  /** Frees a block. Returns false if there is no such block, for example because it was released before. */
  release(begin: number): boolean {
    const size = this.#taken.get(begin);
    if (size === undefined) return false;
    this.#taken.delete(begin);
    this.#used -= size;
    this.#insert({ begin, end: begin + size });
    return true;
  }

  /** Grows until the last free span has `size` bytes. */
  #extend(size: number): Span | undefined {
    const last = this.#free.at(-1);
    const present = last && last.end === this.#end ? last.end - last.begin : 0;
    const grown = this.#grow(size - present);
    if (grown === 0) return undefined;
    const span = { begin: this.#end, end: this.#end + grown };
    this.#end = span.end;
    return this.#insert(span);
  }

  /** Adds a free span and merges it with its neighbours. */
  #insert(span: Span): Span {
    const following = this.#free.findIndex(({ begin }) => begin > span.begin);
    const index = following === -1 ? this.#free.length : following;
    const [previous, next] = [this.#free[index - 1], this.#free[index]];
    const joinsPrevious = index > 0 && previous.end === span.begin;
    const joinsNext = index < this.#free.length && next.begin === span.end;
    const joined = {
      begin: joinsPrevious ? previous.begin : span.begin,
      end: joinsNext ? next.end : span.end,
    };
    this.#free.splice(index - Number(joinsPrevious), Number(joinsPrevious) + Number(joinsNext), joined);
    return joined;
  }
}

/** Rounds up to a multiple of the alignment. */
export function alignUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
