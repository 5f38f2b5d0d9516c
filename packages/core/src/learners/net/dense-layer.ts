import type { Arena, Slice } from "../../runtime/wasm/arena.js";
import { layerWidth, STRIPE_COLUMNS } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import type { StepRule } from "./step-rule.js";
import type { UnitRows } from "./unit-rows.js";

/** Rows or inputs `begin` … `end` − 1. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

/** The inputs of a layer, and the derivatives by its sums. */
interface LayerBatch {
  readonly from: UnitRows;
  readonly delta: UnitRows;
}

/** What a layer holds apart from weights and biases. */
interface LayerMemory {
  /** Numbers of optimiser state per weight and bias. */
  readonly moments: number;
  /** Whether derivatives go back through it, for which the weights are also stored transposed. */
  readonly backward: boolean;
}

/**
 * A layer of a network in WebAssembly memory: a matrix of weights with one row for each input, in stripes of 32 outputs (see
 * `wasm/net-sums.ts`), then the optimiser's state. Inputs and outputs that fill up the last vectors have weights of 0 and keep
 * them: their values and derivatives are 0.
 */
export class DenseLayer {
  readonly inputs: number;
  readonly outputs: number;
  /** Inputs that kernels compute. */
  readonly depth: number;
  readonly #width: number;
  readonly #weights: Slice<Float32Array>;
  readonly #transposed: Slice<Float32Array> | undefined;
  readonly #biases: Slice<Float32Array>;
  readonly memory: WasmMemory;

  /** Takes a layer from an arena. */
  constructor(arena: Arena, inputs: number, outputs: number, { moments, backward }: LayerMemory) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.depth = layerWidth(inputs);
    this.#width = layerWidth(outputs);
    this.memory = arena.memory;
    this.#weights = arena.f32(this.#weightCount * (1 + moments));
    this.#biases = arena.f32(this.#width * (1 + moments));
    this.#transposed = backward ? arena.f32(this.#weightCount) : undefined;
  }

  /** Returns the bytes that the constructor takes, at most. */
  static bytes(inputs: number, outputs: number, moments: number): number {
    return 4 * (2 + moments) * layerWidth(outputs) * (layerWidth(inputs) + 1) + 192;
  }

  /** Loads weights (outputs × inputs) and biases; the optimiser's state stays. */
  load(weights: Float32Array, biases: Float32Array): void {
    const stripes = this.#weights.view;
    this.#forEachWeight((at, from) => {
      stripes[at] = weights[from];
    });
    this.#biases.view.set(biases);
    this.#transpose({ begin: 0, end: this.depth });
  }

  /** Copies the current weights (outputs × inputs). */
  weights(): Float32Array {
    const stripes = this.#weights.view;
    const weights = new Float32Array(this.inputs * this.outputs);
    this.#forEachWeight((at, to) => {
      weights[to] = stripes[at];
    });
    return weights;
  }

  /** Copies the current biases. */
  biases(): Float32Array {
    return this.#biases.view.slice(0, this.outputs);
  }

  /**
   * Computes to = from · W + biases for some rows, without an activation function. `scratch` has 32 bytes for each input;
   * `biases` is the address of others than the layer's own.
   */
  forward(from: UnitRows, to: UnitRows, rows: Range, scratch: number, biases = this.#biases.pointer): void {
    this.#product(from, { ...this.#shape, pointer: this.#weights.pointer }, biases, to, rows, scratch);
  }

  /**
   * Computes to = delta · Wᵀ + biases for some rows: derivatives by the outputs become those by the inputs, or codes are decoded.
   * `biases` is the address of a number for each input, `scratch` has 32 bytes for each output.
   */
  backward(delta: UnitRows, to: UnitRows, rows: Range, biases: number, scratch: number): void {
    if (!this.#transposed) throw new TypeError("Derivatives do not go back through this layer.");
    const matrix = { pointer: this.#transposed.pointer, rows: this.#width, columns: this.depth };
    this.#product(delta, matrix, biases, to, rows, scratch);
  }

  /**
   * Takes a step along the gradient of the first `rows` rows, deltaᵀ · from, with the weights of some inputs, a range of multiples
   * of 8. `scratch` has `updateScratch(rows)` bytes.
   */
  update(
    from: UnitRows,
    delta: UnitRows,
    rows: number,
    inputs: Range,
    rule: StepRule,
    scratch: number,
  ): void {
    const { exports } = this.memory;
    const target = this.#updateTarget(delta, inputs, rule, scratch);
    if (from.lists) {
      from.lists.listColumns(rows, inputs.begin, inputs.end);
      exports.netUpdateOfLists(from.lists.columns, from.lists.capacity, from.lists.columnCounts, ...target);
    } else exports.netUpdate(from.pointer, from.stride, rows, ...target);
    this.#transpose(inputs);
  }

  /**
   * Takes a step with all weights along the gradient of two batches with the same number of rows, of which the first is mostly zero.
   * The bits are those of an update by both in one batch.
   */
  updateByTwoBatches(
    first: LayerBatch,
    second: LayerBatch,
    rows: number,
    rule: StepRule,
    scratch: number,
  ): void {
    const { lists } = first.from;
    if (!lists) throw new TypeError("The first batch has no lists.");
    const inputs = { begin: 0, end: this.depth };
    lists.listColumns(rows, inputs.begin, inputs.end);
    this.memory.exports.netUpdateSparseThenDense(
      lists.columns,
      lists.capacity,
      lists.columnCounts,
      first.delta.pointer,
      second.from.pointer,
      second.from.stride,
      rows,
      ...this.#updateTarget(second.delta, inputs, rule, scratch),
    );
    this.#transpose(inputs);
  }

  /** Returns the arguments that all updates have in common. */
  #updateTarget(delta: UnitRows, { begin, end }: Range, rule: StepRule, scratch: number) {
    return [
      delta.pointer,
      delta.stride,
      this.#weights.pointer,
      this.depth,
      this.#width,
      begin,
      end,
      rule.pointer,
      4 * this.#weightCount,
      scratch,
    ] as const;
  }

  /** Takes a step with the biases: their gradient is Σ delta. */
  updateBiases({ pointer, stride }: UnitRows, rows: number, rule: StepRule): void {
    const { netUpdateBiases } = this.memory.exports;
    netUpdateBiases(pointer, stride, rows, this.#biases.pointer, this.#width, rule.pointer, 4 * this.#width);
  }

  get #shape(): { readonly rows: number; readonly columns: number } {
    return { rows: this.depth, columns: this.#width };
  }

  #product(
    from: UnitRows,
    matrix: { readonly pointer: number; readonly rows: number; readonly columns: number },
    biases: number,
    to: UnitRows,
    { begin, end }: Range,
    scratch: number,
  ): void {
    const { netProduct, netProductOfLists } = this.memory.exports;
    const rest = [
      matrix.pointer,
      matrix.rows,
      matrix.columns,
      biases,
      to.pointer,
      to.stride,
      begin,
      end,
    ] as const;
    if (from.lists) {
      from.lists.listRows(begin, end);
      netProductOfLists(from.lists.parts, ...rest);
    } else netProduct(from.pointer, from.stride, ...rest, scratch);
  }

  #transpose({ begin, end }: Range): void {
    if (!this.#transposed) return;
    const { netTranspose } = this.memory.exports;
    netTranspose(this.#weights.pointer, this.depth, this.#width, begin, end, this.#transposed.pointer);
  }

  get #weightCount(): number {
    return this.depth * this.#width;
  }

  /** Visits the places of each weight in the stripes and in outputs × inputs. */
  #forEachWeight(visit: (inStripes: number, inRows: number) => void): void {
    for (let j = 0; j < this.outputs; j++) {
      const inStripe = j % STRIPE_COLUMNS;
      const first = j - inStripe;
      const step = Math.min(STRIPE_COLUMNS, this.#width - first);
      const at = first * this.depth + inStripe;
      for (let k = 0; k < this.inputs; k++) visit(at + k * step, j * this.inputs + k);
    }
  }
}
