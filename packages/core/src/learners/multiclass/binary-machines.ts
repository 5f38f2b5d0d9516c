import { type Features, Sample } from "../../encode/sample.js";
import { converted, list, type Part, variant } from "../../runtime/codec/parts.js";
import { Matrix } from "../../runtime/maths/matrix.js";
import { checkKernelFeatures } from "../kernel/kernel.js";
import { kernelFeatures } from "../kernel/kernel-features.js";
import type { Model } from "../model.js";
import { nestedModel } from "../nested.js";
import { sigmoidProbability } from "../svm/platt.js";
import { pairLimits, pairMachine, type SvmModel, svm } from "../svm/svm.js";

/** Machines that each separate two sides, the first from the second. */
interface SidedMachines {
  readonly count: number;
  /** The models that the machines are made of. */
  readonly models: readonly Model[];
  /** Values are P(first side) − ½ for probabilities; decision values have no scale. */
  readonly scoring: Model["scoring"];
  /** Evaluates one machine on every row: positive for its first side, negative for the second. */
  values(machine: number, features: Features): Float64Array;
  /** Evaluates all machines (columns). */
  allValues(features: Features): Matrix;
  /** Computes normalised margins in [−1, 1] of the first side of one machine. */
  margins(machine: number, features: Features): Float64Array;
  /** Returns the size of one machine, as numbers by name. */
  facts(machine: number): Readonly<Record<string, number>>;
}

/** The two-class machines of a model: separate models, or the pairs of one svm. */
export type BinaryMachines = SeparateMachines | SvmMachines;

/** More machines would take too long. */
export const MOST_MACHINES = 500_000;

/** Machines that are separate models. */
export class SeparateMachines implements SidedMachines {
  readonly models: readonly Model[];
  readonly scoring: Model["scoring"];

  constructor(models: readonly Model[]) {
    this.models = models;
    this.scoring = models.every(({ scoring }) => scoring === "probability") ? "probability" : "decision";
  }

  get count(): number {
    return this.models.length;
  }

  /** Returns half the difference between the scores of the sides: f for the scores f and −f, p − ½ for p and 1 − p. */
  values(machine: number, features: Features): Float64Array {
    const { values } = this.models[machine].scores(features);
    const differences = new Float64Array(features.rows);
    for (let i = 0; i < differences.length; i++) {
      const difference = (values[2 * i] - values[2 * i + 1]) / 2;
      // Equal scores are decided for the first class.
      differences[i] = difference === 0 ? Number.MIN_VALUE : difference;
    }
    return differences;
  }

  allValues(features: Features): Matrix {
    const all = new Matrix(features.rows, this.count);
    for (let machine = 0; machine < this.count; machine++) {
      this.values(machine, features).forEach((value, i) => {
        all.values[i * this.count + machine] = value;
      });
    }
    return all;
  }

  margins(machine: number, features: Features): Float64Array {
    const model = this.models[machine];
    const labels = new Int32Array(features.rows);
    return model.margins(new Sample<Features>({ features, labels, classes: model.classes }));
  }

  facts(machine: number): Readonly<Record<string, number>> {
    const { features: _, ...counts } = this.models[machine].complexity().counts;
    return counts;
  }
}

/** The machines of all pairs of classes in a model of `svm`, which share their support vectors. */
export class SvmMachines implements SidedMachines {
  readonly model: SvmModel;
  readonly #limits: Float64Array;

  constructor(model: SvmModel) {
    this.model = model;
    this.#limits = pairLimits(model);
  }

  get models(): readonly [SvmModel] {
    return [this.model];
  }

  get scoring(): Model["scoring"] {
    return this.model.scoring;
  }

  get count(): number {
    return this.model.machines.pairs.length;
  }

  values(machine: number, features: Features): Float64Array {
    const values = pairMachine(this.model, machine).values(kernelFeatures(features));
    return values.map((value) => this.#decision(machine, value));
  }

  allValues(features: Features): Matrix {
    const { machines, featureNames } = this.model;
    const given = kernelFeatures(features);
    checkKernelFeatures(machines.kernel.kind, given, featureNames);
    const all = machines.decisionValues(given);
    const values = all.values.map((value, i) => this.#decision(i % all.columns, value));
    return new Matrix(all.rows, all.columns, values);
  }

  margins(machine: number, features: Features): Float64Array {
    if (this.scoring === "probability") return this.values(machine, features).map((value) => 2 * value);
    const limit = this.#limits[machine];
    return this.values(machine, features).map((value) =>
      limit > 0 ? Math.max(-1, Math.min(1, value / limit)) : 0,
    );
  }

  facts(machine: number): Readonly<Record<string, number>> {
    const { pairs, biases } = this.model.machines;
    const { coefficients } = this.model.machines.partsOf(pairs[machine]);
    return { supportVectors: coefficients.length, bias: biases[machine] };
  }

  /** Returns f(x), or P − ½ if there is a sigmoid; a value of exactly 0 is decided for the second class, as in LIBSVM. */
  #decision(machine: number, value: number): number {
    const sigmoid = this.model.machines.sigmoids?.[machine];
    const decision = sigmoid ? sigmoidProbability(sigmoid, value) - 0.5 : value;
    return decision === 0 ? -Number.MIN_VALUE : decision;
  }
}

/** Codec of machines: a model each, or one model of `svm` for all pairs. */
export const binaryMachines: Part<BinaryMachines> = converted(
  variant({
    separate: { models: list(nestedModel, { min: 1, max: MOST_MACHINES }) },
    shared: { model: nestedModel },
  }),
  (machines: BinaryMachines) =>
    machines instanceof SvmMachines
      ? { kind: "shared" as const, model: machines.model }
      : { kind: "separate" as const, models: machines.models },
  (stored, { features }) => {
    const models = stored.kind === "shared" ? [stored.model] : stored.models;
    if (models.some(({ featureNames }) => featureNames.length !== features))
      return "a machine takes other features";
    if (stored.kind === "shared")
      return svm.made(stored.model) ? new SvmMachines(stored.model) : "the shared model is not of svm";
    const [{ learner }] = models;
    return models.every((model) => model.learner === learner && model.classes.length === 2)
      ? new SeparateMachines(models)
      : "the machines are not two-class models of one learner";
  },
);
