import { VouchError } from "../../runtime/vouch-error.js";
import { MAX_TREE_CLASSES } from "../../runtime/wasm/wasm-exports.js";
import { attachWasmMemory, type Block, type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { type Descriptor, WasmStructure } from "../../runtime/wasm/wasm-structure.js";

interface Parts {
  /** The address of the classes, two bytes each. */
  readonly labels: number;
  /** The address of the weights, doubles; 0 if rows have none. */
  readonly weights: number;
  readonly rows: number;
  readonly classes: number;
}

/** A target as it is sent to another thread: structured-cloneable. */
export type TreeTargetDescriptor = Descriptor<Parts>;

/** The class of each row and, unless all are equal, its weight, in WebAssembly memory. The owner releases it. */
export class TreeTarget extends WasmStructure<Parts> implements Parts {
  readonly rows: number;
  readonly classes: number;
  readonly labels: number;
  readonly weights: number;

  private constructor(memory: WasmMemory, parts: Parts, blocks: Block[]) {
    super(memory, parts, blocks);
    this.rows = parts.rows;
    this.classes = parts.classes;
    this.labels = parts.labels;
    this.weights = parts.weights;
  }

  /** Copies labels and weights to WebAssembly memory. Rows of weight 0 count as absent. */
  static of(
    labels: ArrayLike<number>,
    classes: number,
    weights?: Float64Array,
    memory = wasmMemory(),
  ): TreeTarget {
    check(labels, classes, weights);
    const rows = labels.length;
    const blocks = [memory.allocate(2 * rows)];
    try {
      if (weights) blocks.push(memory.allocate(8 * rows));
    } catch (error) {
      memory.release(blocks[0]);
      throw error;
    }
    const [{ pointer }, second] = blocks;
    const bytes = memory.u8(pointer, 2 * rows);
    for (let i = 0; i < rows; i++) {
      bytes[2 * i] = labels[i] & 255;
      bytes[2 * i + 1] = labels[i] >> 8;
    }
    if (weights) memory.f64(second.pointer, rows).set(weights);
    return new TreeTarget(
      memory,
      { labels: pointer, weights: weights ? second.pointer : 0, rows, classes },
      blocks,
    );
  }

  /** Changes the weights for all trees that are grown from now on; only if the target has weights. */
  reweigh(weights: Float64Array): void {
    if (this.weights === 0) throw new Error("The rows have no weights.");
    checkWeights(weights, this.rows);
    this.memory.f64(this.weights, this.rows).set(weights);
  }

  /** Attaches to the target that another thread, or this one, has laid out. */
  static attach({ memory, ...parts }: TreeTargetDescriptor): TreeTarget {
    return new TreeTarget(attachWasmMemory(memory), parts, []);
  }
}

function check(labels: ArrayLike<number>, classes: number, weights: Float64Array | undefined): void {
  if (!(Number.isInteger(classes) && classes >= 1 && classes <= MAX_TREE_CLASSES)) {
    throw new VouchError("data/not-classes", `Trees cannot learn ${classes} classes.`, {
      hint: `Trees take up to ${MAX_TREE_CLASSES} classes. Is the target a number?`,
    });
  }
  for (let i = 0; i < labels.length; i++) {
    if (!(Number.isInteger(labels[i]) && labels[i] >= 0 && labels[i] < classes)) {
      throw new VouchError(
        "data/malformed",
        `Row ${i + 1} has class index ${labels[i]}, but there are ${classes} classes.`,
      );
    }
  }
  if (weights) checkWeights(weights, labels.length);
}

function checkWeights(weights: Float64Array, rows: number): void {
  if (weights.length !== rows) {
    throw new VouchError("data/malformed", `There are ${rows} rows but ${weights.length} weights.`);
  }
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] >= 0 && weights[i] < Infinity) continue;
    throw new VouchError(
      "data/malformed",
      `Row ${i + 1} has weight ${weights[i]}, but weights must be finite numbers ≥ 0.`,
    );
  }
}
