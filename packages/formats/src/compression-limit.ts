import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Maximum compression ratio, unless the data stays small; tables compress to about a tenth. */
const MOST_COMPRESSION = 200;
const SMALL_BYTES = 1 << 26;

/** Expansion allowed beyond this many bytes: a table takes several times the memory of its text. */
const LARGE_BYTES = 1 << 28;
const LARGE_COMPRESSION = 20;

/** Milliseconds in which decompression must begin to give data, and the bytes that it must give in each further second. */
const FIRST_TIME = 60_000;
const BYTES_PER_SECOND = 1 << 18;

/** Milliseconds that count as one wait: a machine that sleeps, or a thread that computes, does not decompress slowly. */
const TICK = 1000;

/** Tests for data that a few bytes expand to. A gzip file of 6 MB may hold 6 GB of the same line, which would be parsed for minutes. */
export function isOverCompressed(bytes: number, compressedBytes: number): boolean {
  const most = Math.min(
    MOST_COMPRESSION * compressedBytes,
    LARGE_BYTES + LARGE_COMPRESSION * compressedBytes,
  );
  return bytes > Math.max(SMALL_BYTES, most);
}

/** Returns the error for data that is compressed too much. */
export function overCompressed(
  name: string,
  bytes: number,
  compressedBytes: number,
  hint: string,
): VouchError {
  const times = bytes > MOST_COMPRESSION * compressedBytes ? MOST_COMPRESSION : LARGE_COMPRESSION;
  return new VouchError("data/too-large", `${name} expands to more than ${times} times its size.`, { hint });
}

const DECOMPRESS = "If that is right, decompress the file first, and name the decompressed file.";

/**
 * Passes decompressed blocks on as long as they suit the compressed bytes that were taken for them, and come in time. The time in which the
 * reader is busy with a block does not count.
 */
export async function* limitCompression<B extends Uint8Array>(
  blocks: AsyncIterable<B>,
  name: string,
  compressedBytes: () => number,
): AsyncGenerator<B> {
  const iterator = blocks[Symbol.asyncIterator]();
  const budget = new TimeBudget(name);
  try {
    for (;;) {
      const { value, done } = await budget.wait(iterator.next());
      if (done) return;
      budget.bytes += value.length;
      if (isOverCompressed(budget.bytes, compressedBytes())) {
        throw overCompressed(name, budget.bytes, compressedBytes(), DECOMPRESS);
      }
      yield value;
    }
  } finally {
    const ended = Promise.resolve(iterator.return?.()).catch(() => {});
    // What gives no data would not end, either.
    if (!budget.isSpent) await ended;
  }
}

/** The time that may be spent on waiting for data: more with each byte that has come. */
class TimeBudget {
  bytes = 0;
  readonly #name: string;
  #waited = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get isSpent(): boolean {
    return this.#waited > FIRST_TIME + (1000 * this.bytes) / BYTES_PER_SECOND;
  }

  /** Waits for data. Throws once the time is spent. */
  async wait<T>(data: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setInterval> | undefined;
    let began = performance.now();
    const tooLate = new Promise<never>((_, reject) => {
      timer = setInterval(() => {
        began = performance.now();
        this.#waited += TICK;
        if (this.isSpent) reject(this.#tooSlow());
      }, TICK);
    });
    try {
      const result = await Promise.race([data, tooLate]);
      this.#waited += Math.min(TICK, performance.now() - began);
      if (this.isSpent) throw this.#tooSlow();
      return result;
    } finally {
      clearInterval(timer);
    }
  }

  #tooSlow(): VouchError {
    const spent = `${Math.round(this.#waited / 1000)} s`;
    return new VouchError(
      "data/too-large",
      `${this.#name} has given only ${this.bytes} bytes in ${spent} of decompression.`,
      {
        hint: DECOMPRESS,
      },
    );
  }
}
