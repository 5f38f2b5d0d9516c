import type { Arena, Slice } from "../../runtime/arena.js";
import type { KernelMemory } from "../../runtime/memory.js";
import { type UnitRows, widthOf } from "./row-source.js";
import type { StepRule } from "./step-rule.js";

/** Outputs of a panel of weights. */
const PANEL = 8;

/**
 * A layer of a network in kernel memory: weights in panels of 8 outputs, behind them what the optimiser remembers. Inputs
 * and outputs that fill up panels have weights of 0, and keep them: what they give and their derivatives are 0.
 */
export class DenseLayer {
  readonly inputs: number;
  readonly outputs: number;
  readonly #depth: number;
  readonly #panels: number;
  readonly #weights: Slice<Float32Array>;
  readonly #biases: Slice<Float32Array>;
  readonly #memory: KernelMemory;

  /** Takes room from the arena, with `remembered` numbers for each weight and bias, and clears it. */
  constructor(arena: Arena, inputs: number, outputs: number, remembered = 0) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.#depth = widthOf(inputs);
    this.#panels = widthOf(outputs) / PANEL;
    this.#memory = arena.memory;
    this.#weights = arena.f32(this.#weightCount * (1 + remembered));
    this.#biases = arena.f32(this.#biasCount * (1 + remembered));
    this.#weights.view.fill(0);
    this.#biases.view.fill(0);
  }

  /** The bytes that the constructor takes. */
  static bytes(inputs: number, outputs: number, remembered = 0): number {
    return 4 * (1 + remembered) * widthOf(outputs) * (widthOf(inputs) + 1) + 128;
  }

  /** Weights (outputs × inputs) and biases to go on with; what the optimiser remembers stays. */
  load(weights: Float32Array, biases: Float32Array): void {
    const panels = this.#weights.view;
    this.#forEachWeight((at, from) => {
      panels[at] = weights[from];
    });
    this.#biases.view.set(biases);
  }

  /** The weights (outputs × inputs) as they are now. */
  weights(): Float32Array {
    const panels = this.#weights.view;
    const weights = new Float32Array(this.inputs * this.outputs);
    this.#forEachWeight((at, to) => {
      weights[to] = panels[at];
    });
    return weights;
  }

  /** The biases as they are now. */
  biases(): Float32Array {
    return this.#biases.view.slice(0, this.outputs);
  }

  /** to = from · Wᵀ + biases, for the first rows; an activation is for the caller to apply. */
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

  /** to = delta · W, for the first rows: derivatives by the outputs become those by the inputs. */
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
   * A step along the gradient deltaᵀ · from of the weights and Σ delta of the biases, of the first rows. `scratch` is the
   * address of UPDATE_SCRATCH bytes for each row.
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

  /** Calls with the place of each weight in the panels and in outputs × inputs. */
  #forEachWeight(visit: (inPanels: number, inRows: number) => void): void {
    for (let j = 0; j < this.outputs; j++) {
      const panel = Math.floor(j / PANEL) * this.#depth * PANEL + (j % PANEL);
      for (let k = 0; k < this.inputs; k++) visit(panel + k * PANEL, j * this.inputs + k);
    }
  }
}
