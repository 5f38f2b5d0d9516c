import { malformed } from "../../runtime/shard-group.js";
import { sharedBuffer, sharedBytes } from "../../runtime/shared-array.js";
import { RowFormat } from "./packed-rows.js";

/** Rows of all shards that were drawn for the trees of a batch, in the order of the shards. */
export class CollectedRows {
  readonly #format: RowFormat;
  readonly #columns: number;
  readonly #trees: number;
  readonly #weighted: boolean;
  readonly #most: readonly number[];
  readonly #rowCounts: number[];
  readonly #counted: Promise<void>;
  #allCounted = () => {};
  #toCount: number;
  #arrays: CollectedArrays | undefined;

  /** `most` are the numbers of rows of the shards. */
  constructor(
    shape: { readonly columns: number; readonly trees: number; readonly weighted: boolean },
    most: readonly number[],
  ) {
    this.#format = new RowFormat(shape.columns, shape.trees, shape.weighted);
    this.#columns = shape.columns;
    this.#trees = shape.trees;
    this.#weighted = shape.weighted;
    this.#most = most;
    this.#rowCounts = most.map(() => 0);
    this.#toCount = most.length;
    this.#counted = new Promise((resolve) => {
      this.#allCounted = resolve;
    });
  }

  /** Reads the messages of a shard; its rows are written when all shards have told how many they have. */
  async read(from: number, messages: AsyncIterable<Uint8Array>): Promise<void> {
    let next = -1;
    let end = -1;
    for await (const message of messages) {
      if (next < 0) {
        this.#count(from, message);
        await this.#counted;
        next = this.#rowCounts.slice(0, from).reduce((sum, count) => sum + count, 0);
        end = next + this.#rowCounts[from];
        continue;
      }
      const count = Math.min(this.#format.perMessage, end - next);
      if (count <= 0 || message.length !== this.#format.bytes(count)) throw malformed(from);
      this.#write(message, next, count);
      next += count;
    }
    if (next < 0 || next !== end) throw malformed(from);
  }

  #count(from: number, message: Uint8Array): void {
    const [rows] = message.length === 4 ? new Int32Array(message.slice().buffer) : [-1];
    if (!(rows >= 0 && rows <= this.#most[from])) throw malformed(from);
    this.#rowCounts[from] = rows;
    this.#toCount--;
    if (this.#toCount > 0) return;
    const all = this.#rowCounts.reduce((sum, count) => sum + count, 0);
    this.#arrays = {
      rows: all,
      bins: sharedBytes(all * this.#columns),
      labels: new Int32Array(all),
      counts: Array.from({ length: this.#trees }, () => new Uint16Array(sharedBuffer(2 * all))),
      ...(this.#weighted && { weights: new Float64Array(all) }),
    };
    this.#allCounted();
  }

  #write(message: Uint8Array, at: number, count: number): void {
    const { arrays } = this;
    // Views of numbers need a place that is a multiple of their size.
    const parts = this.#format.parts(message.slice().buffer, 0, count);
    arrays.labels.set(parts.labels, at);
    for (const [tree, counts] of parts.counts.entries()) arrays.counts[tree].set(counts, at);
    if (parts.weights) arrays.weights?.set(parts.weights, at);
    for (let j = 0; j < this.#columns; j++) {
      arrays.bins.set(parts.bins.subarray(j * count, (j + 1) * count), j * arrays.rows + at);
    }
  }

  get arrays(): CollectedArrays {
    if (!this.#arrays) throw new Error("The rows of a batch have not arrived.");
    return this.#arrays;
  }
}

/** Rows that were drawn for the trees of a batch. */
interface CollectedArrays {
  readonly rows: number;
  /** Column after column. */
  readonly bins: Uint8Array;
  readonly labels: Int32Array;
  readonly weights?: Float64Array;
  /** For each tree, how often each row was drawn. */
  readonly counts: readonly Uint16Array[];
}
