import * as real from "../../runtime/maths/portable-math.js";
import type { Arena, Slice } from "../../runtime/wasm/arena.js";
import { RULE_WORDS } from "../../runtime/wasm/wasm-exports.js";
import type { WasmMemory } from "../../runtime/wasm/wasm-memory.js";

export const optimisers = ["adam", "sgd"] as const;

export interface StepSettings {
  readonly optimiser: (typeof optimisers)[number];
  readonly learningRate: number;
  /** Momentum of stochastic gradient descent; Adam has its own. */
  readonly momentum: number;
  /** λ: each step shrinks weights, but not biases, by learningRate · λ. */
  readonly weightDecay: number;
}

/** β₁, β₂ and ε of Adam (Kingma and Ba 2015). */
const FIRST_DECAY = 0.9;
const SECOND_DECAY = 0.999;
const EPSILON = 1e-8;

/** An optimiser in WebAssembly memory, as the kernels read it; the layers hold its moments of each weight. */
export class StepRule {
  readonly pointer: number;
  readonly #settings: StepSettings;
  readonly #slice: Slice<Float32Array>;
  readonly #memory: WasmMemory;
  #steps = 0;

  constructor(arena: Arena, settings: StepSettings) {
    this.#settings = settings;
    this.#memory = arena.memory;
    this.#slice = arena.f32(RULE_WORDS);
    this.pointer = this.#slice.pointer;
  }

  /** The bytes that the constructor allocates. */
  static readonly bytes = 64;

  /** Returns the number of moments per weight. */
  static moments({ optimiser, momentum }: StepSettings): number {
    if (optimiser === "adam") return 2;
    return momentum > 0 ? 1 : 0;
  }

  /** Prepares the next step, with a share of the learning rate. */
  next(share = 1): void {
    this.#steps++;
    const { optimiser, learningRate, momentum, weightDecay } = this.#settings;
    const rate = learningRate * share;
    const shrink = 1 - rate * weightDecay;
    this.#memory.i32(this.pointer, 1)[0] = optimiser === "adam" ? 1 : 0;
    if (optimiser === "sgd") {
      this.#slice.view.set([rate, shrink, momentum], 1);
      return;
    }
    // m̂ / (√v̂ + ε) with m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ) is rate′ · m / (√v + ε′).
    const root = Math.sqrt(1 - real.wholePower(SECOND_DECAY, this.#steps));
    const corrected = (rate * root) / (1 - real.wholePower(FIRST_DECAY, this.#steps));
    this.#slice.view.set([corrected, shrink, FIRST_DECAY, SECOND_DECAY, EPSILON * root], 1);
  }
}
