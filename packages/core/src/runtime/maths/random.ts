import * as angles from "./portable-math.js";
import * as real from "./portable-math.js";

/**
 * The only source of randomness: sfc32 (Chris Doty-Humphrey's small fast counting generator), seeded through SplitMix32. Parallel
 * tasks use `fork(index)`, so that their streams depend on the seed and the index, never on the thread.
 */
export class Random {
  readonly #seed: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** Starts the stream of a seed, which is any finite number; all its 64 bits count. */
  constructor(seed: number) {
    const words = new Uint32Array(Float64Array.of(seed).buffer);
    const mixer = new SplitMix32(words[0] ^ Math.imul(words[1], 0x9e3779b1));
    this.#seed = seed;
    this.#a = mixer.next();
    this.#b = mixer.next();
    // The mixer depends on 32 bits of the seed and this on the others, so no two seeds have the same state.
    this.#c = mixer.next() ^ words[0];
    for (let i = 0; i < 15; i++) this.bits();
  }

  /** Draws 32 random bits, as an unsigned integer. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Draws a uniform number in [0, 1) with 53 random bits. */
  uniform(): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** Draws a uniform integer in [0, n), without bias; 1 ≤ n ≤ 2³². */
  integer(n: number): number {
    // Quotients are exact enough for `floor`, and much faster than remainders of numbers above 2³¹.
    const limit = Math.floor(4294967296 / n) * n;
    let bits = this.bits();
    while (bits >= limit) bits = this.bits();
    return bits - Math.floor(bits / n) * n;
  }

  /** Draws a standard normal number, by the Box–Muller transform. */
  normal(): number {
    const radius = Math.sqrt(-2 * real.log(1 - this.uniform()));
    return radius * angles.cos(2 * Math.PI * this.uniform());
  }

  /** Shuffles in place (Fisher–Yates) and returns the same array. */
  shuffle<A extends number[] | Int32Array | Uint32Array>(array: A): A {
    for (let i = array.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const other = array[j];
      array[j] = array[i];
      array[i] = other;
    }
    return array;
  }

  /**
   * Starts an independent stream for part `index` of the work; does not advance this stream. Its seed is a hash of 53 bits:
   * among a million forks two are the same with a probability below 10⁻⁴.
   */
  fork(index: number): Random {
    const words = new Uint32Array(Float64Array.of(this.#seed, index).buffer);
    const high = new SplitMix32(0x5eed);
    const low = new SplitMix32(0xf04c);
    for (const word of words) {
      high.absorb(word);
      low.absorb(word);
    }
    return new Random(high.next() * 2097152 + (low.next() >>> 11));
  }
}

/** Returns a seed for one part of the work of a seed: the path says which, such as layer 3, fold 2. */
export function seedAt(seed: number, ...path: number[]): number {
  let random = new Random(seed);
  for (const index of path) random = random.fork(index);
  return random.bits();
}

/** Spreads a few seed bits over many (SplitMix with the finaliser of MurmurHash3). */
class SplitMix32 {
  #state: number;

  constructor(state: number) {
    this.#state = state | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }

  /** Mixes a word into the state. */
  absorb(word: number): void {
    this.#state ^= word;
    const mixed = this.next();
    this.#state ^= mixed;
  }
}
