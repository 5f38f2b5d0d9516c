import { type Features, Sample } from "../data/sample.js";
import { VouchError } from "../error.js";
import type { Model } from "../learning/model.js";
import { Matrix } from "../numeric/matrix.js";
import { type SvmModel, sigmoidProbability } from "../svm/index.js";

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
export type Machines = SeparateMachines | SvmMachines;

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
    this.#limits = model.limits;
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
    const values = this.model.machineOf(machine).values(numbers(features));
    return values.map((value) => this.#decision(machine, value));
  }

  allValues(features: Features): Matrix {
    const all = this.model.decisionValues(numbers(features));
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
