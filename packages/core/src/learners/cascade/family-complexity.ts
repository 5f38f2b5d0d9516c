import { Random } from "../../runtime/maths/random.js";
import {
  constantComplexity,
  leafVcComplexity,
  vcComplexity,
  vcLocalComplexity,
} from "../../theory/cascades/leaf-complexity.js";
import { monteCarloRademacher } from "../../theory/margins/rademacher.js";
import {
  kernelBallComplexity,
  thresholdComplexity,
  thresholdSuprema,
} from "../../theory/margins/rademacher-of-families.js";
import { stumpVcDimension } from "../../theory/vc/vc-dimension.js";
import { kernelVcDimension } from "../kernel/kernel.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import { choiceFamilies, type LeafFamily } from "./cascade-nodes.js";
import type { ComplexityTerm } from "./cascade-options.js";
import type { ComplexityMeasure, NodeComplexity } from "./search-space.js";
import { columnsUpTo, type MonomialColumn, type MonomialTable } from "./thresholds.js";

/** Families of leaves and gates, and the training points on which they are measured. */
interface FamiliesOnRows {
  readonly leaves: readonly LeafFamily[];
  /** Highest degree of the monomials of each family of gates. */
  readonly gates: readonly number[];
  readonly term: ComplexityTerm;
  readonly maxDepth: number;
  readonly rows: Int32Array;
  /** Number of features. */
  readonly features: number;
  readonly classes: number;
  readonly table: MonomialTable;
  readonly kernels: readonly KernelRows[];
  /** The complexity of the learner's models on these rows, as the search measures it. */
  readonly learned: number;
  readonly seed: number;
}

/** Measures the families that the leaves and gates of a cascade come from: c(H) and c(Q) of Algorithm 1 of the paper. */
export class FamilyComplexity implements ComplexityMeasure {
  readonly #families: FamiliesOnRows;
  readonly #leaves: readonly LeafComplexity[];
  readonly #gates: readonly GateComplexity[];

  constructor(families: FamiliesOnRows) {
    this.#families = families;
    this.#leaves = families.leaves.map((leaf) => leafComplexity(leaf, families));
    this.#gates = families.gates.map((degree) => gateComplexity(degree, families));
  }

  of(choice: number, points: number, { norm }: { readonly norm: number }): NodeComplexity {
    const { term, rows } = this.#families;
    const { leaf, gate } = this.#chosen(choice);
    if (term === "vc") {
      return {
        leaf: vcComplexity(leaf.dimension, rows.length),
        gate: vcComplexity(gate.dimension, rows.length),
      };
    }
    if (term === "vc-local") {
      return {
        leaf: vcLocalComplexity(leaf.dimension, points),
        gate: vcLocalComplexity(gate.dimension, points),
      };
    }
    return { leaf: leaf.rademacher(norm), gate: gate.rademacher() / 2 };
  }

  least(choice: number, points: number): number {
    const { leaf, gate } = this.of(choice, points, { norm: 0 });
    return this.#families.maxDepth === 1 ? leaf : Math.min(leaf, gate);
  }

  /** Returns upper bounds on R̂_S of both families of a choice, for certificates. */
  guaranteed(choice: number): NodeComplexity {
    const { leaf, gate } = this.#chosen(choice);
    return { leaf: leaf.guaranteed, gate: gate.guaranteed };
  }

  #chosen(choice: number): { leaf: LeafComplexity; gate: GateComplexity } {
    const { leaf, gate } = choiceFamilies(choice, this.#families);
    return { leaf: this.#leaves[leaf], gate: this.#gates[gate] };
  }
}

/** The complexity of a family of gates: thresholds on the monomials up to a degree. */
interface GateComplexity {
  readonly dimension: number;
  /** An upper bound on R̂_S of the gates, for certificates. */
  readonly guaranteed: number;
  /** Returns an upper bound on R̂_S of the threshold functions; gates have values 0 and 1, and half of it. */
  readonly rademacher: () => number;
}

function gateComplexity(degree: number, families: FamiliesOnRows): GateComplexity {
  const columns = columnsUpTo(families.table, degree);
  return {
    dimension: stumpVcDimension(columns.length),
    guaranteed: thresholdComplexity(columns.length, degree, families.rows.length) / 2,
    rademacher: estimatedComplexity(columns, families),
  };
}

/** Draws of signs for the Rademacher complexity of thresholds. */
const DRAWS = 50;

/** The estimate of a complexity is at least the true one with this probability. */
const CONFIDENCE = 0.99;

/** Estimates R̂_S of thresholds on the training points, by Monte Carlo with the exact supremum, when first called. */
function estimatedComplexity(
  columns: readonly MonomialColumn[],
  { rows, seed }: FamiliesOnRows,
): () => number {
  let known: number | undefined;
  return () => {
    known ??= Math.min(
      1,
      monteCarloRademacher(
        rows.length,
        thresholdSuprema(() => columns.map(({ values }) => Float64Array.from(rows, (row) => values[row]))),
        { draws: DRAWS, random: new Random(seed), confidence: CONFIDENCE },
      ).upper,
    );
    return known;
  };
}

/** The complexity of a family of leaf classifiers. */
interface LeafComplexity {
  /** VC dimension, or an upper bound on it; for K classes K − 1 times that, as in `leafVcComplexity`. */
  readonly dimension: number;
  /** An upper bound on R̂_S, for certificates. */
  readonly guaranteed: number;
  /** Returns an upper bound on R̂_S for a leaf whose classifier has this norm; 0 ≤ norm. */
  rademacher(norm: number): number;
}

function leafComplexity(leaf: LeafFamily, families: FamiliesOnRows): LeafComplexity {
  const { rows, classes, table, kernels, features, learned } = families;
  switch (leaf.kind) {
    case "constant":
      return constantLeaves(rows.length, classes);
    case "learner":
      return learnerLeaves(learned);
    case "kernel":
      return kernelLeaves(kernels[leaf.kernel], features, rows, classes);
    case "threshold": {
      const columns = columnsUpTo(table, leaf.degree);
      return thresholdLeaves({
        monomials: columns.length,
        degree: leaf.degree,
        m: rows.length,
        classes,
        twoClasses: estimatedComplexity(columns, families),
      });
    }
  }
}

/** Measures the constants, one per class. */
function constantLeaves(m: number, classes: number): LeafComplexity {
  const complexity = constantComplexity(m, classes);
  return {
    dimension: classes - 1,
    guaranteed: Math.min(complexity, leafVcComplexity(1, m, classes)),
    rademacher: () => complexity,
  };
}

/** Measures models of any learner: all functions have complexity 1, and `learned` is what the search takes. */
function learnerLeaves(learned: number): LeafComplexity {
  return { dimension: Number.POSITIVE_INFINITY, guaranteed: 1, rademacher: () => learned };
}

interface ThresholdFamily {
  readonly monomials: number;
  readonly degree: number;
  readonly m: number;
  readonly classes: number;
  /** Returns an upper bound on R̂_S for two classes. */
  readonly twoClasses: () => number;
}

/** Measures thresholds on monomials, the constants among them. For several classes their labellings are counted. */
function thresholdLeaves({ monomials, degree, m, classes, twoClasses }: ThresholdFamily): LeafComplexity {
  const guaranteed = thresholdComplexity(monomials, degree, m, classes);
  return {
    dimension: (classes - 1) * stumpVcDimension(monomials),
    guaranteed,
    rademacher: classes === 2 ? twoClasses : () => guaranteed,
  };
}

/** Measures kernel machines on some training points. R̂_S is that of the ball with the norm of the trained one. */
function kernelLeaves(
  { kernel, diagonal }: KernelRows,
  features: number,
  training: Int32Array,
  classes: number,
): LeafComplexity {
  const unit = kernelBallComplexity(
    Float64Array.from(training, (row) => diagonal[row]),
    1,
  );
  const dimension = kernelVcDimension(kernel, features, { bias: true });
  return {
    dimension: (classes - 1) * dimension,
    guaranteed: leafVcComplexity(dimension, training.length, classes),
    rademacher: (norm) => Math.min(1, norm * unit),
  };
}
