import { Arena } from "../../runtime/wasm/arena.js";
import { alignUp } from "../../runtime/wasm/heap.js";
import { MOST_PACKED, OWNER_WORDS, PART_WORDS, PLAN_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { LevelPart, Range } from "./shard-tree.js";

/** Bytes after a buffer that kernels may touch. */
const SLACK = 16;

/** Determines the sizes of the buffers. */
interface BufferShape {
  /** The features of each shard. */
  readonly ranges: readonly Range[];
  /** The number of this shard. */
  readonly own: number;
  readonly trees: number;
  /** Histograms of a tree that are sent at a time, at most. */
  readonly sent: number;
  readonly splitBytes: number;
}

/**
 * Buffers of the messages between shards, in WebAssembly memory: one for each other shard, which is sent without a copy, and one for what arrives. Also
 * the plan by which all threads fill them.
 */
export class LevelBuffers {
  /** The address of what has arrived, and its most bytes. */
  readonly receive: number;
  readonly receiveBytes: number;
  readonly #arena: Arena;
  readonly #shape: BufferShape;
  readonly #plan: number;
  readonly #parts: number;
  readonly #owners: number;
  readonly #places: readonly number[];

  private constructor(shape: BufferShape, arena: Arena, packedBytes: (range: Range) => number) {
    const { ranges, own, trees, splitBytes } = shape;
    this.#shape = shape;
    this.#arena = arena;
    this.#plan = arena.i32(PLAN_WORDS).pointer;
    this.#parts = arena.i32(PART_WORDS * trees).pointer;
    this.#owners = arena.i32(OWNER_WORDS * ranges.length).pointer;
    this.#places = ranges.map((range, shard) => (shard === own ? 0 : arena.u8(packedBytes(range)).pointer));
    this.receiveBytes = Math.max(splitBytes, ...ranges.map(packedBytes)) - SLACK;
    this.receive = arena.u8(this.receiveBytes + SLACK).pointer >>> 0;
  }

  static allocate(shape: BufferShape, memory: WasmMemory): LevelBuffers {
    const { ranges, trees, sent, splitBytes } = shape;
    const each = trees * sent * MOST_PACKED;
    const packedBytes = ([first, last]: Range) => (last - first) * each + SLACK;
    const packed = ranges.map(packedBytes);
    const sizes = [
      4 * PLAN_WORDS,
      4 * PART_WORDS * trees,
      4 * OWNER_WORDS * ranges.length,
      ...packed,
      Math.max(splitBytes + SLACK, ...packed),
    ];
    const arena = Arena.allocate(
      sizes.reduce((sum, bytes) => sum + alignUp(bytes), 0),
      memory,
    );
    return new LevelBuffers({ ...shape, splitBytes: splitBytes + SLACK }, arena, packedBytes);
  }

  release(): void {
    this.#arena.release();
  }

  /** Writes the plan of a level, in whose units any thread completes and packs the features of a shard; returns its address. */
  plan(level: readonly LevelPart[]): number {
    const { memory } = this.#arena;
    const { ranges } = this.#shape;
    memory.i32(this.#plan, PLAN_WORDS).set([this.#parts, level.length, this.#owners]);
    const parts = memory.i32(this.#parts, PART_WORDS * level.length);
    for (const [i, { tree, batch }] of level.entries()) parts.set([tree.address, ...batch], PART_WORDS * i);
    const owners = memory.i32(this.#owners, OWNER_WORDS * ranges.length);
    for (const [shard, range] of ranges.entries()) {
      owners.set([...range, this.#places[shard], 0], OWNER_WORDS * shard);
    }
    return this.#plan;
  }

  /** Returns the address at which histograms for a shard are packed. */
  placeFor(shard: number): number {
    return this.#places[shard] >>> 0;
  }

  /** Views what the units of the plan have packed for a shard. */
  packed(shard: number): Uint8Array {
    const { memory } = this.#arena;
    const end = memory.i32(this.#owners, OWNER_WORDS * (shard + 1))[OWNER_WORDS * shard + 3] >>> 0;
    return memory.u8(this.#places[shard], end - this.placeFor(shard));
  }
}
