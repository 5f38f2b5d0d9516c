import type { Kernel } from "../kernel/index.js";
import type { Evaluations } from "../learning/evaluations.js";
import type { Model } from "../learning/model.js";
import type { Matrix } from "../numeric/matrix.js";
import { PerceptronModel } from "../perceptron/index.js";
import { SvmModel } from "../svm/index.js";
import { type Machines, SvmMachines } from "./machines.js";

/** Which support vectors each machine compares a row with: indices into a list of all of them, each there once. */
export interface SupportSets {
  readonly total: number;
  readonly sets: readonly Int32Array[];
}

/** The support vectors of machines that are kernel machines, undefined for others. */
export function supportSets(machines: Machines): SupportSets | undefined {
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
  if (model instanceof SvmModel) {
    const { kernel, supportVectors } = model.machines;
    return { kernel, vectors: supportVectors };
  }
  if (model instanceof PerceptronModel)
    return { kernel: model.machine.kernel, vectors: model.machine.support };
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
