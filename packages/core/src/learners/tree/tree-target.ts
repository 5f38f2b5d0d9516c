import { VouchError } from "../../runtime/vouch-error.js";
import { Arena, bytesOf, f64, u16 } from "../../runtime/wasm/arena.js";
import { MAX_TREE_CLASSES } from "../../runtime/wasm/wasm-exports.js";
import { type WasmMemory, wasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { WasmStructure } from "../../runtime/wasm/wasm-structure.js";

/** A target in WebAssembly memory, as kernels and other threads see it. */
export interface TreeTargetFields {
  readonly memory: WasmMemory;
  /** The address of the classes, two bytes each. */
  readonly labels: number;
  /** The address of the weights, doubles; 0 if rows have none. */
  readonly weights: number;
  readonly rows: number;
  readonly classes: number;
}

/** The class of each row and, unless all are equal, its weight, in WebAssembly memory. The owner releases it. */
export class TreeTarget extends WasmStructure implements TreeTargetFields {
  readonly labels: number;
  readonly weights: number;
  readonly rows: number;
  readonly classes: number;
  /** A target in an arena, which it releases; without it, a view of a target that another object owns. */
  constructor({ memory, labels, weights, rows, classes }: TreeTargetFields, arena?: Arena) {
    super(memory, arena);
    this.labels = labels;
    this.weights = weights;
    this.rows = rows;
    this.classes = classes;
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
    const layout = { labels: u16(rows), weights: f64(weights ? rows : 0) };
    const arena = Arena.allocate(bytesOf(layout), memory);
    const slices = arena.take(layout);
    slices.labels.view.set(labels);
    if (weights) slices.weights.view.set(weights);
    const { pointer } = slices.weights;
    const fields = { memory, labels: slices.labels.pointer, weights: weights ? pointer : 0, rows, classes };
    return new TreeTarget(fields, arena);
  }

  /** Changes the weights for all trees that are grown from now on; only if the target has weights. */
  reweigh(weights: Float64Array): void {
    if (this.weights === 0) throw new Error("The rows have no weights.");
    checkWeights(weights, this.rows);
    this.memory.f64(this.weights, this.rows).set(weights);
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
