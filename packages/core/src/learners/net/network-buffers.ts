import { Arena, type ArenaFields } from "../../runtime/wasm/arena.js";
import { layerWidth, PANEL_STEP, updateScratch } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";
import { indexOfLargest } from "../scores.js";
import { DenseLayer } from "./dense-layer.js";
import { type DropoutRates, type DroppedUnits, deriveDropped, dropoutOf, dropUnits } from "./dropout.js";
import { ACTIVATION_NUMBER, type NetworkForm, type NetworkWeights } from "./network-weights.js";
import { NonzeroRows, type NonzeroRowsFields } from "./nonzero-rows.js";
import { StepRule, type StepSettings } from "./step-rule.js";
import { UnitRows } from "./unit-rows.js";

/** The shape of a network in WebAssembly memory. */
interface NetworkShape {
  readonly sizes: readonly number[];
  readonly form: Pick<NetworkForm, "activation" | "output">;
  /** Rows of a batch, at most. */
  readonly rows: number;
  /** The optimiser; without one, the network can only predict. */
  readonly settings?: (StepSettings & DropoutRates) | undefined;
  /** Whether most of the inputs are zero. */
  readonly sparse?: boolean;
  /** Lists of the rows that batches are taken from; inputs must be as they are there, without dropout and shifts. */
  readonly source?: NonzeroRowsFields | undefined;
  /** Threads that compute at the same time; 1 by default. */
  readonly workers?: number;
}

/** What workers get of a network. */
export interface NetworkBuffersFields {
  readonly shape: NetworkShape;
  readonly arena: ArenaFields;
}

/**
 * A network in WebAssembly memory with room for one batch, in which several threads compute: rows or their lists go into `input`; `sums` propagates
 * some of them forward, `differentiate` forward and backward, and `update` changes the weights of some inputs. Its owner releases it.
 *
 * Each sum is computed by one thread in the same order, so that bits depend neither on the number of threads nor on the division
 * of the work.
 */
export class NetworkBuffers {
  /** The rows of the batch, or only their lists if all rows are listed; columns beyond the features stay 0. */
  readonly input: UnitRows;
  readonly layers: readonly DenseLayer[];
  readonly labels: () => Int32Array;
  readonly rowWeights: () => Float32Array;
  /** The place in the source of each row of the batch. */
  readonly places: () => Int32Array;
  readonly #shape: NetworkShape;
  readonly #arena: Arena;
  readonly #memory: WasmMemory;
  readonly #units: readonly UnitRows[];
  readonly #deltas: readonly UnitRows[];
  readonly #labels: number;
  readonly #weights: number;
  readonly #losses: { readonly pointer: number; readonly view: Float64Array };
  readonly #rule: StepRule | undefined;
  readonly #stepSeed: { readonly view: Int32Array };
  readonly #zeros: number;
  readonly #scratch: number;

  private constructor(arena: Arena, shape: NetworkShape, worker: number) {
    const { sizes, rows, settings, workers = 1 } = shape;
    const moments = settings ? StepRule.moments(settings) : 0;
    const last = sizes.length - 1;
    this.#shape = shape;
    this.#arena = arena;
    this.#memory = arena.memory;
    this.layers = sizes
      .slice(1)
      .map(
        (outputs, l) =>
          new DenseLayer(arena, sizes[l], outputs, { moments, backward: learns(shape) && l > 0 }),
      );
    const source = shape.source && NonzeroRows.view(shape.source);
    this.#units = sizes.map((units, l) => {
      const lists = listsOf(shape, l);
      return new UnitRows(arena, units, rows, l === 0 && lists ? { ...lists, source } : lists);
    });
    // The derivatives by the sums of the last layer replace the sums.
    this.#deltas = sizes.map((units, l) =>
      l === 0 || l === last || !settings
        ? this.#units[l]
        : new UnitRows(arena, units, rows, derivativeListsOf(shape, l)),
    );
    const [labels, rowWeights, losses, places] = [
      arena.i32(rows),
      arena.f32(rows),
      arena.f64(rows),
      arena.i32(rows),
    ];
    this.input = this.#units[0];
    this.labels = () => labels.view;
    this.rowWeights = () => rowWeights.view;
    this.places = () => places.view;
    this.#labels = labels.pointer;
    this.#weights = rowWeights.pointer;
    this.#losses = losses;
    this.#rule = settings && new StepRule(arena, settings);
    this.#stepSeed = arena.i32(1);
    this.#zeros = arena.f32(mostUnits(shape)).pointer;
    this.#scratch = arena.u8(workers * scratchBytes(shape)).pointer + worker * scratchBytes(shape);
  }

  /** Allocates a network with these weights. */
  static allocate(initial: NetworkWeights, shape: Omit<NetworkShape, "sizes">): NetworkBuffers {
    const complete = { ...shape, sizes: initial.sizes };
    const arena = Arena.allocate(bytesOf(complete));
    const { pointer, bytes } = arena;
    arena.memory.u8(pointer, bytes).fill(0);
    const network = new NetworkBuffers(arena, complete, 0);
    network.load(initial);
    return network;
  }

  /** Views a network as one of its workers. */
  static view({ arena, shape }: NetworkBuffersFields, worker: number): NetworkBuffers {
    return new NetworkBuffers(new Arena(arena), shape, worker);
  }

  /** What the input of a worker contains of the network. */
  get fields(): NetworkBuffersFields {
    return { shape: this.#shape, arena: this.#arena };
  }

  /** Replaces the weights; the optimiser's state stays. */
  load({ weights, biases }: NetworkWeights): void {
    this.layers.forEach((layer, l) => {
      layer.load(weights[l], biases[l]);
    });
  }

  /** Copies the current weights. */
  weights(): NetworkWeights {
    return {
      sizes: this.#shape.sizes,
      weights: this.layers.map((layer) => layer.weights()),
      biases: this.layers.map((layer) => layer.biases()),
    };
  }

  /** Computes the sums of the last layer for the rows from `begin`, a multiple of ROW_STEP, to `end` − 1 of the input. */
  sums(begin: number, end: number): UnitRows {
    return this.#forward(begin, end, () => undefined);
  }

  #forward(begin: number, end: number, drop: (l: number) => void): UnitRows {
    const last = this.layers.length - 1;
    this.layers.forEach((layer, l) => {
      drop(l);
      layer.forward(this.#units[l], this.#units[l + 1], { begin, end }, this.#scratch);
      if (l < last) this.#activate(this.#units[l + 1], begin, end);
    });
    return this.#units[last + 1];
  }

  /** Computes the weighted sums of losses and errors of the first rows, whose sums have been computed. */
  evaluate(rows: number): { loss: number; error: number } {
    const sums = this.#units[this.layers.length];
    const error = this.#weightOfErrors(sums, rows);
    this.#loss(sums, 0, rows);
    return { loss: this.loss(rows), error };
  }

  /** Sets the seed of the next step's random numbers, such as the units that it drops, once for all workers. */
  prepareRandomness(seed: number): void {
    this.#stepSeed.view[0] = seed;
  }

  /** The seed of the step's random numbers. */
  get stepSeed(): number {
    return this.#stepSeed.view[0];
  }

  /**
   * Computes sums, losses and the derivatives of the losses by all sums, for some rows; `begin` is a multiple of ROW_STEP. With
   * dropout, random units are 0.
   */
  differentiate(begin: number, end: number): void {
    const sums = this.#forward(begin, end, (l) => {
      const dropped = this.#droppedIn(l);
      if (dropped.rate > 0) dropUnits(this.#units[l], begin, end, dropped);
    });
    this.#loss(sums, begin, end);
    for (let l = this.layers.length - 1; l > 0; l--) this.#backward(l, begin, end);
  }

  /** Returns the weighted sum of the losses of the first rows. */
  loss(rows: number): number {
    const losses = this.#losses.view;
    let sum = 0;
    for (let r = 0; r < rows; r++) sum += losses[r];
    return sum;
  }

  /** Prepares a step with a share of the learning rate, once for all workers. */
  prepareStep(rateShare = 1): void {
    this.#learningRule.next(rateShare);
  }

  /** Takes the step with the weights of some inputs of layer l, multiples of 8; the first inputs include the biases. */
  update(l: number, begin: number, end: number, rows: number): void {
    const [layer, delta, rule] = [this.layers[l], this.#deltas[l + 1], this.#learningRule];
    if (begin === 0) layer.updateBiases(delta, rows, rule);
    layer.update(this.#units[l], delta, rows, { begin, end }, rule, this.#scratch);
  }

  release(): void {
    this.#arena.release();
  }

  get #learningRule(): StepRule {
    if (!this.#rule) throw new TypeError("A network without an optimiser cannot learn.");
    return this.#rule;
  }

  #activate({ pointer, stride, units, width }: UnitRows, begin: number, end: number): void {
    const kind = ACTIVATION_NUMBER[this.#shape.form.activation];
    this.#memory.exports.netActivate(kind, pointer + 4 * begin * stride, stride, units, width, end - begin);
  }

  /** Computes the derivatives by the sums of layer l's inputs from those by its own sums. */
  #backward(l: number, begin: number, end: number): void {
    const delta = this.#deltas[l];
    const { pointer, stride, width } = this.#units[l];
    this.layers[l].backward(this.#deltas[l + 1], delta, { begin, end }, this.#zeros, this.#scratch);
    const { activation } = this.#shape.form;
    const dropped = this.#droppedIn(l);
    if (dropped.rate > 0) {
      deriveDropped(this.#units[l], delta, begin, end, activation, dropped);
      return;
    }
    const kind = ACTIVATION_NUMBER[activation];
    const offset = 4 * begin * stride;
    this.#memory.exports.netDerive(
      kind,
      pointer + offset,
      delta.pointer + offset,
      stride,
      width,
      end - begin,
    );
  }

  #droppedIn(layer: number): DroppedUnits {
    const rate = dropoutOf(this.#shape.settings ?? {}, layer);
    return { rate, seed: this.stepSeed, layer };
  }

  #weightOfErrors({ view, stride, units }: UnitRows, rows: number): number {
    const labels = this.labels();
    const weights = this.rowWeights();
    let error = 0;
    for (let r = 0; r < rows; r++) {
      const at = r * stride;
      const predicted = units === 1 ? Number(view[at] > 0) : indexOfLargest(view, at, units);
      if (predicted !== labels[r]) error += weights[r];
    }
    return error;
  }

  /** Computes the weighted losses; their derivatives replace the sums. */
  #loss({ pointer, stride, units, width }: UnitRows, begin: number, end: number): void {
    const { netLogistic, netSoftmax } = this.#memory.exports;
    const first = pointer + 4 * begin * stride;
    const [labels, weights] = [this.#labels + 4 * begin, this.#weights + 4 * begin];
    const losses = this.#losses.pointer + 8 * begin;
    if (this.#shape.form.output === "logistic")
      netLogistic(first, stride, width, end - begin, labels, weights, losses);
    else netSoftmax(first, stride, units, width, end - begin, labels, weights, losses);
  }
}

function learns({ settings }: NetworkShape): boolean {
  return settings !== undefined;
}

/** Units of ReLU layers are lists, because about half of them are zero. */
function listsOf(shape: NetworkShape, l: number): { columns: boolean } | undefined {
  const { sizes, form, sparse = false } = shape;
  const mostlyZero = l === 0 ? sparse : l < sizes.length - 1 && form.activation === "relu";
  return mostlyZero ? { columns: learns(shape) } : undefined;
}

/** Derivatives are zero where units of ReLU layers are; those of the first hidden layer go no further back. */
function derivativeListsOf({ form }: NetworkShape, l: number): { columns: false } | undefined {
  return form.activation === "relu" && l > 1 ? { columns: false } : undefined;
}

function mostUnits({ sizes }: NetworkShape): number {
  return Math.max(...sizes.map(layerWidth));
}

/** The scratch memory of one worker: a panel of the widest layer for products, a block of rows for updates. */
function scratchBytes(shape: NetworkShape): number {
  const bytes = Math.max(PANEL_STEP * mostUnits(shape), updateScratch(shape.rows));
  return Math.ceil(bytes / 64) * 64;
}

function bytesOf(shape: NetworkShape): number {
  const { sizes, rows, settings, workers = 1 } = shape;
  const moments = settings ? StepRule.moments(settings) : 0;
  const layers = sizes.slice(1).map((outputs, l) => DenseLayer.bytes(sizes[l], outputs, moments));
  const units = sizes.map(
    (units, l) =>
      UnitRows.bytes(units, rows, listsOf(shape, l)) +
      UnitRows.bytes(units, rows, derivativeListsOf(shape, l)),
  );
  const rest = 20 * rows + 4 * mostUnits(shape) + workers * scratchBytes(shape) + 576 + StepRule.bytes;
  return [...layers, ...units].reduce((sum, bytes) => sum + bytes, rest);
}
