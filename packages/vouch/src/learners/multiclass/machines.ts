import { type Features, Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { checkKernelFeatures, type Kernel } from "../kernel/kernel.js";
import type { Model } from "../model.js";
import { perceptron } from "../perceptron/perceptron.js";
import type { Evaluations } from "../scores.js";
import { sigmoidProbability } from "../svm/platt.js";
import { pairLimits, pairMachine, type SvmModel, svm } from "../svm/svm.js";

/** What machines for two sides each can do. */
interface SidedMachines {
  readonly count: number;
  /** The models that they are made of. */
  readonly models: readonly Model[];
  /** Of probabilities the values are P(first side) − ½; decision values have no scale. */
  readonly scoring: Model["scoring"];
  /** The value of one machine for every row: positive for its first side, else negative. */
  values(machine: number, features: Features): Float64Array;
  /** The values of all machines (columns). */
  allValues(features: Features): Matrix;
  /** The normalised margin in [−1, 1] that one machine gives its first side. */
  margins(machine: number, features: Features): Float64Array;
}

/** Trained machines for two sides each. */
export type BinaryMachines = SeparateMachines | SvmMachines;

/** Machines that are models of their own. */
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

  /** Half of the difference between the scores of the sides: f of the scores f and −f, p − ½ of p and 1 − p. */
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
}

/** The machines of all pairs of classes of a model of `svm`, which share their support vectors. */
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
    const values = pairMachine(this.model, machine).values(numbers(features));
    return values.map((value) => this.#decision(machine, value));
  }

  allValues(features: Features): Matrix {
    const { machines, featureNames } = this.model;
    const given = numbers(features);
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

  /** f(x), or P − ½ where there is a sigmoid; what is exactly between is decided for the second class, as in LIBSVM. */
  #decision(machine: number, value: number): number {
    const sigmoid = this.model.machines.sigmoids?.[machine];
    const decision = sigmoid ? sigmoidProbability(sigmoid, value) - 0.5 : value;
    return decision === 0 ? -Number.MIN_VALUE : decision;
  }
}

function numbers(features: Features): Matrix {
  if (features instanceof Matrix) return features;
  throw new VouchError(
    "data/wrong-kind",
    "Machines of svm take a matrix, not binned columns or sparse rows.",
  );
}

/** Which support vectors each machine compares a row with: indices into a list of all of them, each there once. */
interface SupportSets {
  readonly total: number;
  readonly sets: readonly Int32Array[];
}

/** The support vectors of machines that are kernel machines, undefined for others. */
export function supportSets(machines: BinaryMachines): SupportSets | undefined {
  if (machines instanceof SvmMachines) return sharedSets(machines.model);
  const supports = machines.models.map(supportOf);
  const known = supports.filter((support) => support !== undefined);
  return known.length === supports.length ? distinctSets(known) : undefined;
}

/** Adds up what rows cost that ask different machines. */
export class RowCosts {
  readonly #sets: SupportSets | undefined;
  /** The last row that was compared with each support vector. */
  readonly #comparedBy: Int32Array;
  #rows = 0;
  #nodes = 0;
  #compared = 0;

  constructor(sets: SupportSets | undefined) {
    this.#sets = sets;
    this.#comparedBy = new Int32Array(sets?.total ?? 0);
  }

  /** One more row, which asks these machines. */
  add(machines: readonly number[]): void {
    this.#rows++;
    this.#nodes += machines.length;
    for (const machine of machines) {
      for (const s of this.#sets?.sets[machine] ?? []) {
        if (this.#comparedBy[s] === this.#rows) continue;
        this.#comparedBy[s] = this.#rows;
        this.#compared++;
      }
    }
  }

  mean(): Evaluations {
    const kernel = this.#compared / this.#rows;
    return { ...(this.#sets && { kernel }), nodes: this.#nodes / this.#rows };
  }
}

function sharedSets({ machines }: SvmModel): SupportSets {
  return {
    total: machines.supportVectors.rows,
    sets: machines.pairs.map((pair) => machines.partsOf(pair).supportVectors),
  };
}

/** The rows that a kernel machine compares with. */
interface Support {
  readonly kernel: Kernel;
  readonly vectors: Matrix;
}

function supportOf(model: Model): Support | undefined {
  if (svm.made(model)) {
    const { kernel, supportVectors } = model.machines;
    return { kernel, vectors: supportVectors };
  }
  if (perceptron.made(model)) return { kernel: model.machine.kernel, vectors: model.machine.support };
  return undefined;
}

/** Machines share a kernel value where they compare with the same row under the same kernel. */
function distinctSets(supports: readonly Support[]): SupportSets {
  const places = new Map<string, Map<string, number>>();
  let total = 0;
  const sets = supports.map(({ kernel, vectors }) => {
    const name = JSON.stringify(kernel);
    const own = places.get(name) ?? new Map<string, number>();
    places.set(name, own);
    const set = Array.from({ length: vectors.rows }, (_, s) => {
      const key = vectors.row(s).join();
      const place = own.get(key) ?? total++;
      own.set(key, place);
      return place;
    });
    // A row that is there twice is compared with once.
    return Int32Array.from(new Set(set));
  });
  return { total, sets };
}
