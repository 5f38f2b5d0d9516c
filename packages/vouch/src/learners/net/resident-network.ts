import { Arena } from "../../runtime/arena.js";
import { UPDATE_SCRATCH } from "../../runtime/kernels.js";
import type { KernelMemory } from "../../runtime/memory.js";
import { indexOfLargest } from "../scores.js";
import { DenseLayer, UnitRows } from "./dense-layer.js";
import { ACTIVATION_NUMBER, type NetworkForm, type NetworkWeights } from "./network-weights.js";
import { StepRule, type StepSettings } from "./step-rule.js";

/**
 * A network in kernel memory with room for one batch. Rows go into `input`; `sums` propagates them forward, `learn` forward
 * and backward. Its owner releases it.
 */
export class ResidentNetwork {
  /** The rows of the batch; columns beyond the features stay 0. */
  readonly input: UnitRows;
  readonly labels: () => Int32Array;
  readonly rowWeights: () => Float32Array;
  readonly #sizes: readonly number[];
  readonly #form: NetworkForm;
  readonly #arena: Arena;
  readonly #memory: KernelMemory;
  readonly #layers: readonly DenseLayer[];
  readonly #units: readonly UnitRows[];
  readonly #deltas: readonly UnitRows[];
  readonly #labels: number;
  readonly #weights: number;
  readonly #rule: StepRule | undefined;
  readonly #scratch: number;

  /** Allocates a network; with the settings of an optimiser it can learn, otherwise only predict. */
  constructor(initial: NetworkWeights, form: NetworkForm, rows: number, settings?: StepSettings) {
    const { sizes } = initial;
    const moments = settings ? StepRule.moments(settings) : 0;
    const arena = Arena.allocate(bytesOf(sizes, rows, moments));
    const pairs = sizes.slice(1).map((outputs, l) => ({ inputs: sizes[l], outputs }));
    this.#sizes = sizes;
    this.#form = form;
    this.#arena = arena;
    this.#memory = arena.memory;
    this.#layers = pairs.map(({ inputs, outputs }) => new DenseLayer(arena, inputs, outputs, moments));
    this.#units = sizes.map((units) => new UnitRows(arena, units, rows));
    // The derivatives by the sums of the last layer replace the sums.
    this.#deltas = sizes.map((units, l) =>
      l === 0 || l === sizes.length - 1 ? this.#units[l] : new UnitRows(arena, units, rows),
    );
    const labels = arena.i32(rows);
    const rowWeights = arena.f32(rows);
    this.input = this.#units[0];
    this.labels = () => labels.view;
    this.rowWeights = () => rowWeights.view;
    this.#labels = labels.pointer;
    this.#weights = rowWeights.pointer;
    this.#rule = settings && new StepRule(arena, settings);
    this.#scratch = arena.u8(UPDATE_SCRATCH * rows).pointer;
    this.load(initial);
  }

  /** Replaces the weights; the optimiser's state stays. */
  load({ weights, biases }: NetworkWeights): void {
    this.#layers.forEach((layer, l) => {
      layer.load(weights[l], biases[l]);
    });
  }

  /** Copies the current weights. */
  weights(): NetworkWeights {
    return {
      sizes: this.#sizes,
      weights: this.#layers.map((layer) => layer.weights()),
      biases: this.#layers.map((layer) => layer.biases()),
    };
  }

  /** Computes the sums of the last layer for the first rows of the input. */
  sums(rows: number): UnitRows {
    const last = this.#layers.length - 1;
    this.#layers.forEach((layer, l) => {
      layer.forward(this.#units[l], this.#units[l + 1], rows);
      if (l < last) this.#activate(this.#units[l + 1], rows);
    });
    return this.#units[last + 1];
  }

  /** Computes the weighted sums of losses and errors of the first rows of the input; nothing changes. */
  evaluate(rows: number): { loss: number; error: number } {
    const sums = this.sums(rows);
    const error = this.#weightOfErrors(sums, rows);
    return { loss: this.#loss(sums, rows), error };
  }

  /** Takes a step along the gradient of the weighted sum of losses, with a share of the learning rate; returns the sum before. */
  learn(rows: number, rateShare = 1): number {
    const rule = this.#rule;
    if (!rule) throw new TypeError("A network without an optimiser cannot learn.");
    const loss = this.#loss(this.sums(rows), rows);
    rule.next(rateShare);
    for (let l = this.#layers.length - 1; l >= 0; l--) {
      if (l > 0) this.#backward(l, rows);
      this.#layers[l].update(this.#units[l], this.#deltas[l + 1], rows, rule, this.#scratch);
    }
    return loss;
  }

  release(): void {
    this.#arena.release();
  }

  #activate({ pointer, stride, units, width }: UnitRows, rows: number): void {
    const kind = ACTIVATION_NUMBER[this.#form.activation];
    this.#memory.kernels.netActivate(kind, pointer, stride, units, width, rows);
  }

  /** Computes the derivatives by the sums of layer l's inputs from those by its own sums, before its weights change. */
  #backward(l: number, rows: number): void {
    const delta = this.#deltas[l];
    const { pointer, stride, width } = this.#units[l];
    this.#layers[l].backward(this.#deltas[l + 1], delta, rows);
    const kind = ACTIVATION_NUMBER[this.#form.activation];
    this.#memory.kernels.netDerive(kind, pointer, delta.pointer, stride, width, rows);
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

  /** Computes the weighted sum of losses; its derivatives replace the sums. */
  #loss({ pointer, stride, units, width }: UnitRows, rows: number): number {
    const { netLogistic, netSoftmax } = this.#memory.kernels;
    return this.#form.output === "logistic"
      ? netLogistic(pointer, stride, width, rows, this.#labels, this.#weights)
      : netSoftmax(pointer, stride, units, width, rows, this.#labels, this.#weights);
  }
}

function bytesOf(sizes: readonly number[], rows: number, moments: number): number {
  const layers = sizes.slice(1).map((outputs, l) => DenseLayer.bytes(sizes[l], outputs, moments));
  const units = sizes.map((units) => 2 * UnitRows.bytes(units, rows));
  const rest = (8 + UPDATE_SCRATCH) * rows + 192 + StepRule.bytes;
  return [...layers, ...units].reduce((sum, bytes) => sum + bytes, rest);
}
