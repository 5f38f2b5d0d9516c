import type { Kernel } from "../kernel/kernel.js";
import { columnAt, type KernelFeatures, rowStart } from "../kernel/kernel-features.js";
import type { Model } from "../model.js";
import { perceptron } from "../perceptron/perceptron.js";
import type { Evaluations } from "../scores.js";
import { type SvmModel, svm } from "../svm/svm.js";
import { type BinaryMachines, SvmMachines } from "./binary-machines.js";

/** The support vectors that each machine compares a row with: indices into a list that has each of them once. */
interface SupportSets {
  readonly total: number;
  readonly sets: readonly Int32Array[];
}

/** Lists the support vectors of kernel machines; undefined for other machines. */
export function supportSets(machines: BinaryMachines): SupportSets | undefined {
  if (machines instanceof SvmMachines) return sharedSets(machines.model);
  const supports = machines.models.map(supportOf);
  const known = supports.filter((support) => support !== undefined);
  return known.length === supports.length ? distinctSets(known) : undefined;
}

/** Adds up the cost of rows that different machines predict. */
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

  /** Adds a row that these machines predict. */
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

interface Support {
  readonly kernel: Kernel;
  readonly vectors: KernelFeatures;
}

function supportOf(model: Model): Support | undefined {
  if (svm.made(model)) return { kernel: model.machines.kernel, vectors: model.machines.supportVectors };
  if (perceptron.made(model)) return { kernel: model.machine.kernel, vectors: model.machine.support };
  return undefined;
}

/** Writes the numbers of a row that are not zero, with their columns. */
function textOf(vectors: KernelFeatures, s: number): string {
  const cells: string[] = [];
  for (let k = rowStart(vectors, s); k < rowStart(vectors, s + 1); k++) {
    if (vectors.values[k] !== 0) cells.push(`${columnAt(vectors, s, k)}:${vectors.values[k]}`);
  }
  return cells.join();
}

/** Machines share a kernel value if they compare with the same row under the same kernel. */
function distinctSets(supports: readonly Support[]): SupportSets {
  const indexOf = new Map<string, Map<string, number>>();
  let total = 0;
  const sets = supports.map(({ kernel, vectors }) => {
    const name = JSON.stringify(kernel);
    const known = indexOf.get(name) ?? new Map<string, number>();
    indexOf.set(name, known);
    const set = Array.from({ length: vectors.rows }, (_, s) => {
      const key = textOf(vectors, s);
      const index = known.get(key) ?? total++;
      known.set(key, index);
      return index;
    });
    // Duplicate rows are compared with once.
    return Int32Array.from(new Set(set));
  });
  return { total, sets };
}
