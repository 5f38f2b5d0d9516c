import { Matrix } from "../../runtime/maths/matrix.js";
import { Arena } from "../../runtime/wasm/arena.js";
import { layerWidth, PANEL_STEP, updateScratch } from "../../runtime/wasm/wasm-exports.js";
import { DenseLayer } from "./dense-layer.js";
import { ACTIVATION_NUMBER } from "./network-weights.js";
import type { NonzeroRows } from "./nonzero-rows.js";
import type { TiedLayer, Unit } from "./pretrain-layer.js";
import { copyRows } from "./row-source.js";
import { StepRule, type StepSettings } from "./step-rule.js";
import { ROW_STEP, UnitRows } from "./unit-rows.js";

/**
 * An autoencoder: h = s(W·x + b) encodes a row, x̂ = t(Wᵀ·h + c) decodes it, and both are fitted so that x̂ is close to x
 * (thesis, eq. 4.24).
 *
 * Encoder and decoder have the same weights. The thesis leaves that open ("a 2-layer feedforward network"). Tied weights are
 * those of the published denoising autoencoder, half as many to fit, and they rule out two degenerate solutions: a tiny code
 * that huge decoder weights scale up again, which would make a sparse code free, and a code that stays in the linear part of
 * its units.
 */
export interface Autoencoder {
  /** s: activation function of the hidden units. */
  readonly code: Exclude<Unit, "linear">;
  /** t: sigmoid for inputs from 0 to 1, tanh from −1 to 1, linear for any. */
  readonly decoder: Unit;
  /** Weight of the penalty Σ|h|, which pulls the units of an overcomplete code to zero. */
  readonly sparsity: number;
}

/** The sizes of an autoencoder in WebAssembly memory. */
interface Shape {
  readonly visible: number;
  readonly hidden: number;
  /** Rows of a batch, at most. */
  readonly rows: number;
  /** Whether most of the inputs are zero. */
  readonly sparse: boolean;
  /** Lists of the rows to learn from, if these are not corrupted. */
  readonly source?: NonzeroRows | undefined;
  readonly settings: StepSettings;
}

/**
 * An autoencoder with tied weights in WebAssembly memory, with room for one batch. Its owner releases it.
 *
 * The gradient of the weights is Σ δ_h·x̃ᵀ + h·δ_x̂ᵀ: they count on the way to the code and on the way back. If x̃ is mostly zero, the
 * first sum comes from its lists. Otherwise the two sums are one of twice the length, over stacked rows: `visible` holds x̃ and then
 * δ_x̂, `hidden` holds δ_h and then h. Halves begin at multiples of ROW_STEP, because kernels compute whole tiles; the rows that fill
 * them up are zero.
 */
export class AutoencoderBuffers {
  readonly #kind: Autoencoder;
  readonly #arena: Arena;
  readonly #layer: DenseLayer;
  readonly #rule: StepRule;
  /** x̃, with lists if it is mostly zero. */
  readonly #input: UnitRows;
  readonly #output: UnitRows;
  readonly #visible: UnitRows;
  readonly #hidden: UnitRows;
  /** The visible biases, then the optimiser's state of each. */
  readonly #biases: { readonly pointer: number; readonly view: Float32Array };
  readonly #zeros: number;
  readonly #scratch: number;

  constructor(kind: Autoencoder, initial: TiedLayer, shape: Omit<Shape, "visible" | "hidden">) {
    const { rows: hidden, columns: visible } = initial.weights;
    const { rows, settings } = shape;
    const moments = StepRule.moments(settings);
    const arena = Arena.allocate(bytesOf({ ...shape, visible, hidden }));
    arena.memory.u8(arena.pointer, arena.bytes).fill(0);
    this.#kind = kind;
    this.#arena = arena;
    this.#layer = new DenseLayer(arena, visible, hidden, { moments, backward: true });
    this.#rule = new StepRule(arena, settings);
    this.#input = new UnitRows(arena, visible, rows, listsOf(shape));
    this.#output = new UnitRows(arena, visible, rows);
    this.#visible = new UnitRows(arena, visible, 2 * halfOf(rows));
    this.#hidden = new UnitRows(arena, hidden, 2 * halfOf(rows));
    this.#biases = arena.f32(layerWidth(visible) * (1 + moments));
    this.#zeros = arena.f32(layerWidth(hidden)).pointer;
    this.#scratch = arena.u8(scratchBytes({ visible, hidden, rows })).pointer;
    this.load(initial);
  }

  /** Replaces weights and biases; the optimiser's state stays. */
  load({ weights, hiddenBiases, visibleBiases }: TiedLayer): void {
    this.#layer.load(Float32Array.from(weights.values), Float32Array.from(hiddenBiases));
    this.#biases.view.set(visibleBiases);
  }

  /** Copies the current weights and biases. */
  layer(): TiedLayer {
    const { inputs, outputs } = this.#layer;
    return {
      weights: new Matrix(outputs, inputs, this.#layer.weights()),
      hiddenBiases: this.#layer.biases(),
      visibleBiases: this.#biases.view.slice(0, inputs),
    };
  }

  /**
   * Takes a step against the gradient of the mean over the rows of ‖x − x̂‖² + sparsity·Σ|h|, where x̂ is decoded from the code of
   * a corrupted x; `corrupt` changes a row in place, for which there must not be lists of the source. Returns Σ ‖x − x̂‖² before the step.
   */
  learn(source: Matrix, places: Int32Array, corrupt?: (row: Float32Array) => void): number {
    const rows = places.length;
    const half = halfOf(rows);
    const [codes, errors] = [this.#hidden.from(half), this.#visible.from(half)];
    const all = { begin: 0, end: rows };
    this.#takeRows(source, places, corrupt);
    this.#layer.forward(this.#input, codes, all, this.#scratch);
    this.#activate(this.#kind.code, codes, rows);
    this.#layer.backward(codes, this.#output, all, this.#biases.pointer, this.#scratch);
    this.#activate(this.#kind.decoder, this.#output, rows);
    const distance = this.#outputErrors(errors, source, places);
    this.#derive(this.#kind.decoder, this.#output, errors, rows);
    this.#layer.forward(errors, this.#hidden, all, this.#scratch, this.#zeros);
    if (this.#kind.sparsity > 0) this.#addSparsity(codes, rows);
    this.#derive(this.#kind.code, codes, this.#hidden, rows);
    this.#step(errors, codes, rows);
    return distance;
  }

  release(): void {
    this.#arena.release();
  }

  /** Takes the rows at some places of a matrix: chooses their lists, or copies them, twice if they are stacked, and corrupts the copies. */
  #takeRows({ values, columns }: Matrix, places: Int32Array, corrupt?: (row: Float32Array) => void): void {
    const { view: input, stride, lists } = this.#input;
    if (lists?.source) {
      if (corrupt) throw new TypeError("Rows that are listed in advance cannot be corrupted.");
      lists.choose(places, 0, places.length);
      return;
    }
    copyRows(values, columns, places, this.#input);
    for (let r = 0; corrupt && r < places.length; r++) {
      corrupt(input.subarray(r * stride, r * stride + columns));
    }
    if (!lists) this.#visible.view.set(input.subarray(0, places.length * stride));
  }

  /** Writes the derivatives by the outputs, 2(x̂ − x)/rows; returns Σ ‖x − x̂‖². */
  #outputErrors(errors: UnitRows, { values, columns }: Matrix, places: Int32Array): number {
    const rows = places.length;
    const { lists } = this.#input;
    if (lists?.source) lists.writeRows(rows, errors);
    else copyRows(values, columns, places, errors);
    const { pointer, stride, width } = this.#output;
    const { netSquaredError } = this.#layer.memory.exports;
    return netSquaredError(pointer, errors.pointer, stride, width, rows, 2 / rows);
  }

  #addSparsity({ view: codes, stride, units }: UnitRows, rows: number): void {
    const { view } = this.#hidden;
    const weight = this.#kind.sparsity / rows;
    for (let r = 0; r < rows; r++) {
      for (let at = r * stride, end = at + units; at < end; at++) view[at] += weight * Math.sign(codes[at]);
    }
  }

  #step(errors: UnitRows, codes: UnitRows, rows: number): void {
    const { depth, memory } = this.#layer;
    const rule = this.#rule;
    rule.next();
    this.#layer.updateBiases(this.#hidden, rows, rule);
    const width = layerWidth(errors.units);
    const { netUpdateBiases } = memory.exports;
    netUpdateBiases(
      errors.pointer,
      errors.stride,
      rows,
      this.#biases.pointer,
      width,
      rule.pointer,
      4 * width,
    );
    if (this.#input.lists) {
      const encoding = { from: this.#input, delta: this.#hidden };
      this.#layer.updateByTwoBatches(encoding, { from: errors, delta: codes }, rows, rule, this.#scratch);
      return;
    }
    const half = halfOf(rows);
    for (const stacked of [this.#visible, this.#hidden]) {
      stacked.clear(rows, half);
      stacked.clear(half + rows, 2 * half);
    }
    const inputs = { begin: 0, end: depth };
    this.#layer.update(this.#visible, this.#hidden, 2 * half, inputs, rule, this.#scratch);
  }

  #activate(unit: Unit, { pointer, stride, units, width }: UnitRows, rows: number): void {
    if (unit === "linear") return;
    this.#layer.memory.exports.netActivate(ACTIVATION_NUMBER[unit], pointer, stride, units, width, rows);
  }

  /** Multiplies derivatives by those of the units. */
  #derive(unit: Unit, values: UnitRows, derivatives: UnitRows, rows: number): void {
    if (unit === "linear") return;
    const { pointer, stride, width } = values;
    const kind = ACTIVATION_NUMBER[unit];
    this.#layer.memory.exports.netDerive(kind, pointer, derivatives.pointer, stride, width, rows);
  }
}

function listsOf({ sparse, source }: Pick<Shape, "sparse" | "source">) {
  return sparse ? { columns: true, source } : undefined;
}

/** Returns the number of rows that half of the stacked rows takes. */
function halfOf(rows: number): number {
  return Math.ceil(rows / ROW_STEP) * ROW_STEP;
}

/** A panel of the wider layer for products, a block of the stacked rows for updates. */
function scratchBytes({ visible, hidden, rows }: Pick<Shape, "visible" | "hidden" | "rows">): number {
  const panel = PANEL_STEP * Math.max(layerWidth(visible), layerWidth(hidden));
  return Math.max(panel, updateScratch(2 * halfOf(rows)));
}

function bytesOf(shape: Shape): number {
  const { visible, hidden, rows, settings } = shape;
  const moments = StepRule.moments(settings);
  const stacked = 2 * halfOf(rows);
  const biases = 4 * (layerWidth(visible) * (1 + moments) + layerWidth(hidden));
  return [
    DenseLayer.bytes(visible, hidden, moments),
    UnitRows.bytes(visible, rows, listsOf(shape)),
    UnitRows.bytes(visible, rows),
    UnitRows.bytes(visible, stacked),
    UnitRows.bytes(hidden, stacked),
    StepRule.bytes,
    biases,
    scratchBytes(shape),
    // Slices begin at multiples of 64.
    256,
  ].reduce((sum, bytes) => sum + bytes, 0);
}
