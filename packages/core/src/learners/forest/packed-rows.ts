import { type Arena, ScratchPool, type ScratchPoolDescriptor } from "../../runtime/arena.js";
import type { TaskContext } from "../../runtime/executor.js";
import { sharedBytes } from "../../runtime/shared-array.js";
import { defineTask } from "../../runtime/task.js";
import { drawOnShard, type ShardDraws } from "./shard-draws.js";

/** Bytes of a message at most, unless a single row has more. */
const MESSAGE_BYTES = 2 ** 20;

/** Rows of a shard to send to the shards that draw them: arrays on shared memory. */
export interface ShardBins {
  readonly rows: number;
  readonly columns: number;
  /** Column after column. */
  readonly bins: Uint8Array;
  readonly labels: Int32Array;
  readonly weights?: Float64Array;
}

/** The trees that one shard grows at a time, and the rows of this shard that may be drawn for them. */
interface PackInput {
  readonly scratch: ScratchPoolDescriptor;
  readonly sample: ShardBins;
  readonly trees: readonly ShardDraws[];
}

/** Rows of a shard that were drawn for some trees, each row once. */
export interface PackedRows {
  readonly rows: number;
  /** See `RowFormat`. */
  readonly packed: Uint8Array;
  /** For each tree the state of its generator after the draws. */
  readonly random: readonly (readonly number[])[];
}

/**
 * How drawn rows travel. A message has up to `perMessage` rows: their weights as f64 if they have any, how often each was drawn for each tree and their classes as
 * u16, and their bins, column after column.
 */
export class RowFormat {
  readonly perMessage: number;
  readonly #columns: number;
  readonly #trees: number;
  readonly #weighted: boolean;

  constructor(columns: number, trees: number, weighted: boolean) {
    this.#columns = columns;
    this.#trees = trees;
    this.#weighted = weighted;
    this.perMessage = Math.max(1, Math.floor(MESSAGE_BYTES / this.rowBytes));
  }

  get rowBytes(): number {
    return (this.#weighted ? 8 : 0) + 2 * this.#trees + 2 + this.#columns;
  }

  /** Returns how many bytes `rows` rows take. */
  bytes(rows: number): number {
    return rows * this.rowBytes;
  }

  /** Views the parts of a message, which begins at a multiple of eight bytes. */
  parts(buffer: ArrayBufferLike, begin: number, rows: number) {
    const counts = begin + (this.#weighted ? 8 * rows : 0);
    const labels = counts + 2 * this.#trees * rows;
    const bins = labels + 2 * rows;
    return {
      weights: this.#weighted ? new Float64Array(buffer, begin, rows) : undefined,
      counts: Array.from(
        { length: this.#trees },
        (_, tree) => new Uint16Array(buffer, counts + 2 * tree * rows, rows),
      ),
      labels: new Uint16Array(buffer, labels, rows),
      bins: new Uint8Array(buffer, bins, this.#columns * rows),
    };
  }
}

/** Returns the scratch of a task that packs rows. */
export function packBytes(stateBytes: number, rows: number): number {
  return stateBytes + 2 * rows + 128;
}

/** Draws the rows of some trees, and packs those of this shard for the one that grows the trees. */
export const packTask = defineTask(
  "forest/pack-rows",
  (input: PackInput, context: TaskContext): Promise<PackedRows> =>
    ScratchPool.attach(input.scratch).with((arena) => packRows(input, arena, context)),
);

async function packRows(
  { sample, trees }: PackInput,
  arena: Arena,
  context: TaskContext,
): Promise<PackedRows> {
  const { memory } = arena;
  const state = arena.u8(memory.kernels.treeStateBytes()).pointer;
  const drawn = arena.u8(2 * sample.rows).pointer;
  const random: (readonly number[])[] = [];
  const counts: Uint16Array[] = [];
  for (const draws of trees) {
    random.push(await drawOnShard(draws, drawn, state, memory, () => context.checkpoint()));
    counts.push(byRow(memory.u16(drawn, draws.own), draws.list, sample.rows));
  }
  const rows = Int32Array.from(drawnRows(counts, sample.rows));
  return { rows: rows.length, packed: pack(sample, rows, counts), random };
}

function byRow(counts: Uint16Array, list: Int32Array | undefined, rows: number): Uint16Array {
  if (!list) return counts.slice();
  const all = new Uint16Array(rows);
  for (let place = 0; place < list.length; place++) all[list[place]] = counts[place];
  return all;
}

/** Lists the rows that some tree has drawn. */
function drawnRows(counts: readonly Uint16Array[], rows: number): Int32Array {
  const drawn = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    let times = 0;
    for (let tree = 0; tree < counts.length; tree++) times |= counts[tree][row];
    if (times > 0) drawn[count++] = row;
  }
  return drawn.subarray(0, count);
}

function pack(sample: ShardBins, rows: Int32Array, counts: readonly Uint16Array[]): Uint8Array {
  const format = new RowFormat(sample.columns, counts.length, sample.weights !== undefined);
  const places = messagePlaces(format, rows.length);
  const packed = sharedBytes(places.end);
  for (const { begin, first, count } of places.messages) {
    const own = rows.subarray(first, first + count);
    const parts = format.parts(packed.buffer, begin, count);
    for (let i = 0; i < count; i++) parts.labels[i] = sample.labels[own[i]];
    for (const [tree, to] of parts.counts.entries()) {
      const from = counts[tree];
      for (let i = 0; i < count; i++) to[i] = from[own[i]];
    }
    const { weights } = sample;
    if (weights && parts.weights) for (let i = 0; i < count; i++) parts.weights[i] = weights[own[i]];
    for (let j = 0; j < sample.columns; j++) {
      const from = sample.bins.subarray(j * sample.rows, (j + 1) * sample.rows);
      const to = parts.bins.subarray(j * count, (j + 1) * count);
      for (let i = 0; i < count; i++) to[i] = from[own[i]];
    }
  }
  return packed;
}

/** Lays messages out one after the other, each at a multiple of eight bytes. */
function messagePlaces(format: RowFormat, rows: number) {
  const messages: { begin: number; first: number; count: number; bytes: number }[] = [];
  let end = 0;
  for (let first = 0; first < rows; first += format.perMessage) {
    const count = Math.min(format.perMessage, rows - first);
    const bytes = format.bytes(count);
    messages.push({ begin: end, first, count, bytes });
    end += Math.ceil(bytes / 8) * 8;
  }
  return { messages, end };
}

/** Lists the messages with the drawn rows of a shard: their number, then the rows. */
export function* rowMessages({ rows, packed }: PackedRows, format: RowFormat): Generator<Uint8Array> {
  yield new Uint8Array(Int32Array.of(rows).buffer);
  // Copies: not every exchange takes shared memory.
  for (const { begin, bytes } of messagePlaces(format, rows).messages) {
    yield packed.slice(begin, begin + bytes);
  }
}
