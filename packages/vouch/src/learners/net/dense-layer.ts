import type { Arena, Slice } from "../../runtime/arena.js";
import type { KernelMemory } from "../../runtime/memory.js";
import type { StepRule } from "./step-rule.js";

/** Columns and rows are rounded up to multiples of these: whole panels, whole tiles. */
const WIDTH_STEP = 8;
const ROW_STEP = 4;

/** Rows with a stride that is a multiple of this share few sets of the cache; the shift avoids it. */
const BAD_STRIDE = 256;
const STRIDE_SHIFT = 16;

/** Returns the number of columns that a row of units takes. */
function widthOf(units: number): number {
  return Math.ceil(units / WIDTH_STEP) * WIDTH_STEP;
}

function strideOf(units: number): number {
  const width = widthOf(units);
  return width % BAD_STRIDE === 0 ? width + STRIDE_SHIFT : width;
}

function lengthOf(units: number, rows: number): number {
  return strideOf(units) * Math.ceil(rows / ROW_STEP) * ROW_STEP;
}

/** Values of the units of a layer in kernel memory, one row for each row of a batch. */
export class UnitRows {
  readonly units: number;
  /** Distance from one row to the next, in elements. */
  readonly stride: number;
  /** Number of columns that kernels compute; those beyond the units are 0. */
  readonly width: number;
  readonly pointer: number;
  readonly #slice: Slice<Float32Array>;

  /** Allocates cleared rows in the arena. */
  constructor(arena: Arena, units: number, rows: number) {
    this.units = units;
    this.width = widthOf(units);
    this.stride = strideOf(units);
    this.#slice = arena.f32(lengthOf(units, rows));
    this.pointer = this.#slice.pointer;
    this.#slice.view.fill(0);
  }

  /** Returns the bytes that the constructor allocates. */
  static bytes(units: number, rows: number): number {
    return 4 * lengthOf(units, rows) + 64;
  }

  /** Returns a new view at each access: element (r, k) is at r · stride + k. */
  get view(): Float32Array {
    return this.#slice.view;
  }
}

/** Number of outputs in a panel of weights. */
const PANEL = 8;

/**
 * A layer of a network in kernel memory: weights in panels of 8 outputs, then the optimiser's state. Inputs and outputs that
 * pad panels have weights of 0 and keep them: their values and derivatives are 0.
 */
export class DenseLayer {
  readonly inputs: number;
  readonly outputs: number;
  readonly #depth: number;
  readonly #panels: number;
  readonly #weights: Slice<Float32Array>;
  readonly #biases: Slice<Float32Array>;
  readonly #memory: KernelMemory;

  /** Allocates a cleared layer in the arena, with `moments` numbers of optimiser state per weight and bias. */
  constructor(arena: Arena, inputs: number, outputs: number, moments = 0) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.#depth = widthOf(inputs);
    this.#panels = widthOf(outputs) / PANEL;
    this.#memory = arena.memory;
    this.#weights = arena.f32(this.#weightCount * (1 + moments));
    this.#biases = arena.f32(this.#biasCount * (1 + moments));
    this.#weights.view.fill(0);
    this.#biases.view.fill(0);
  }

  /** Returns the bytes that the constructor allocates. */
  static bytes(inputs: number, outputs: number, moments = 0): number {
    return 4 * (1 + moments) * widthOf(outputs) * (widthOf(inputs) + 1) + 128;
  }

  /** Loads weights (outputs × inputs) and biases; the optimiser's state stays. */
  load(weights: Float32Array, biases: Float32Array): void {
    const panels = this.#weights.view;
    this.#forEachWeight((at, from) => {
      panels[at] = weights[from];
    });
    this.#biases.view.set(biases);
  }

  /** Copies the current weights (outputs × inputs). */
  weights(): Float32Array {
    const panels = this.#weights.view;
    const weights = new Float32Array(this.inputs * this.outputs);
    this.#forEachWeight((at, to) => {
      weights[to] = panels[at];
    });
    return weights;
  }

  /** Copies the current biases. */
  biases(): Float32Array {
    return this.#biases.view.slice(0, this.outputs);
  }

  /** Computes to = from · Wᵀ + biases for the first rows, without an activation function. */
  forward(from: UnitRows, to: UnitRows, rows: number): void {
    this.#memory.kernels.netForward(
      from.pointer,
      from.stride,
      this.#weights.pointer,
      this.#depth,
      this.#biases.pointer,
      this.#panels,
      to.pointer,
      to.stride,
      rows,
    );
  }

  /** Computes to = delta · W for the first rows: derivatives by the outputs become those by the inputs. */
  backward(delta: UnitRows, to: UnitRows, rows: number): void {
    this.#memory.kernels.netBackward(
      delta.pointer,
      delta.stride,
      this.#weights.pointer,
      this.#depth,
      this.#panels,
      to.pointer,
      to.stride,
      rows,
    );
  }

  /**
   * Takes a step along the gradient of the first rows: deltaᵀ · from for the weights, Σ delta for the biases. `scratch` is
   * the address of UPDATE_SCRATCH bytes for each row.
   */
  update(from: UnitRows, delta: UnitRows, rows: number, rule: StepRule, scratch: number): void {
    this.#memory.kernels.netUpdate(
      from.pointer,
      from.stride,
      delta.pointer,
      delta.stride,
      this.#weights.pointer,
      this.#depth,
      this.#biases.pointer,
      this.#panels,
      rows,
      rule.pointer,
      4 * this.#weightCount,
      4 * this.#biasCount,
      scratch,
    );
  }

  get #weightCount(): number {
    return this.#depth * this.#panels * PANEL;
  }

  get #biasCount(): number {
    return this.#panels * PANEL;
  }

  /** Visits the places of each weight in the panels and in outputs × inputs. */
  #forEachWeight(visit: (inPanels: number, inRows: number) => void): void {
    for (let j = 0; j < this.outputs; j++) {
      const panel = Math.floor(j / PANEL) * this.#depth * PANEL + (j % PANEL);
      for (let k = 0; k < this.inputs; k++) visit(panel + k * PANEL, j * this.inputs + k);
    }
  }
}
