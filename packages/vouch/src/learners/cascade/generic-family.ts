import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
import { leafVcComplexity, vcComplexity, vcLocalComplexity } from "../../theory/cascades/leaf-complexity.js";
import { monteCarloRademacher } from "../../theory/margins/rademacher.js";
import {
  kernelBallComplexity,
  thresholdComplexity,
  thresholdSuprema,
} from "../../theory/margins/rademacher-of-families.js";
import { stumpVcDimension } from "../../theory/vc/vc-dimension.js";
import { kernelVcDimension } from "../kernel/kernel.js";
import { KernelExpansion } from "../kernel/kernel-expansion.js";
import type { KernelRows } from "../kernel/kernel-rows.js";
import type { LeafClassifier, TrainedLevel } from "./cascade-level.js";
import type { ComplexityTerm } from "./cascade-options.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import {
  choiceFamilies,
  type FittedLeaf,
  type GenericNodeMaterial,
  genericNodes,
  type LeafFamily,
  leafTask,
  without,
} from "./generic-nodes.js";
import { type KernelSettings, openNotice, type PreparedKernels, prepareKernels } from "./node-kernels.js";
import { type OpenSolutions, solverFacts } from "./node-machine.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search.js";
import type { CascadeSpace, ComplexityMeasure, NodeComplexity } from "./search-space.js";
import {
  bestGates,
  columnsUpTo,
  type FoundGate,
  type MonomialColumn,
  type MonomialTable,
  monomialTable,
  SignedRows,
} from "./thresholds.js";

/** The cascades of Algorithm 1. A node's choice is a pair of families: leaf · |Q| + gate. */
interface GenericSettings {
  readonly space: CascadeSpace;
  readonly leaves: readonly LeafFamily[];
  /** Highest degree of the monomials of each family of gates. */
  readonly gates: readonly number[];
  readonly complexity: ComplexityTerm;
  readonly kernels: KernelSettings;
}

/** Prepares the cascades whose leaves and gates come from chosen families (Algorithm 1 of the paper). */
export async function genericFamily(
  features: Matrix,
  labels: Int8Array,
  settings: GenericSettings,
  run: Run,
): Promise<CascadeFamily> {
  const { leaves, gates, space } = settings;
  const degrees = [...gates, ...leaves.map((leaf) => (leaf.kind === "threshold" ? leaf.degree : 1))];
  const table = await monomialTable(features, Math.max(...degrees), run);
  const kernels =
    settings.kernels.kernels.length > 0
      ? await prepareKernels(features, labels, settings.kernels, run)
      : undefined;
  return {
    space,
    families: leaves.length * gates.length,
    notices: kernels?.notices ?? [],
    on: (rows) => new GenericOnRows({ features, labels, settings, table, kernels, rows, run }),
    release: () => kernels?.release(),
  };
}

interface Context {
  readonly features: Matrix;
  readonly labels: Int8Array;
  readonly settings: GenericSettings;
  readonly table: MonomialTable;
  readonly kernels: PreparedKernels | undefined;
  readonly rows: Int32Array;
  readonly run: Run;
}

class GenericOnRows implements FamilyOnRows {
  readonly trainer: ParallelNodes<GenericNodeMaterial>;
  readonly complexity: ComplexityMeasure;
  readonly #context: Context;
  readonly #material: GenericNodeMaterial;
  readonly #leaves: readonly LeafComplexity[];
  readonly #gates: readonly GateFamily[];

  constructor(context: Context) {
    const { settings, labels, table, kernels, rows, run } = context;
    const { leaves, gates, space } = settings;
    this.#context = context;
    const values = kernels?.kernels ?? [];
    this.#material = {
      labels: onSharedMemory(labels),
      table,
      leaves,
      gates,
      fractions: space.fractions,
      kernels: values.map((kernel) => kernel.descriptor()),
      ...(kernels && { machine: kernels.machine(rows) }),
    };
    this.#gates = gates.map((degree) => this.#gateFamily(degree));
    this.#leaves = leaves.map((leaf) => this.#leafComplexity(leaf));
    this.complexity = this.#measure();
    this.trainer = genericNodes(this.#material, values, rows.length, run);
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const { leaves } = this.#context.settings;
    const parts = levels.map(({ choice, rows, fraction }) => {
      const found =
        fraction === undefined ? undefined : this.#gate(rows, this.#families(choice).gate, fraction);
      const leaf = leaves[choiceFamilies(choice, this.#material).leaf];
      return { found, leaf, rows: found ? without(rows, found.on) : rows };
    });
    const material = this.#material;
    const inputs = parts.map(({ leaf, rows }) => ({ material, leaf, rows }));
    const trained = await this.trainer.runAll(leafTask, inputs);
    return trained.map(({ norm, fitted }, k) => {
      const { choice, rows } = levels[k];
      const { found, leaf, rows: stay } = parts[k];
      const families = this.#families(choice);
      return {
        classifier: this.#classifier(leaf, stay, fitted),
        ...(found && { gate: found.gate }),
        complexity: this.complexity.of(choice, rows.length, { norm }),
        guaranteed: { leaf: families.leaf.guaranteed, gate: families.gate.guaranteed },
      };
    });
  }

  notices(open: OpenSolutions): readonly string[] {
    const { machine } = this.#material;
    return machine?.kind === "svm" ? openNotice("of the search", open, machine) : [];
  }

  release(): void {
    this.trainer.release();
  }

  /** Finds the gate of a node with a fraction, the same as in training. */
  #gate(rows: Int32Array, { columns }: GateFamily, fraction: number): FoundGate | undefined {
    const { labels, settings } = this.#context;
    return bestGates(new SignedRows(rows, labels), columns, [settings.space.fractions[fraction]])[0];
  }

  #classifier(leaf: LeafFamily, rows: Int32Array, fitted: FittedLeaf["fitted"]): LeafClassifier {
    if (fitted.kind !== "machine") return fitted;
    const { features, kernels } = this.#context;
    if (leaf.kind !== "kernel" || !kernels) throw new Error("A machine has no kernel.");
    const { machine } = fitted;
    return {
      kind: "kernel",
      machine: KernelExpansion.trainedOn(features, rows, kernels.kernels[leaf.kernel].kernel, machine),
      ...solverFacts(machine),
    };
  }

  #families(choice: number): { leaf: LeafComplexity; gate: GateFamily } {
    const { leaf, gate } = choiceFamilies(choice, this.#material);
    return { leaf: this.#leaves[leaf], gate: this.#gates[gate] };
  }

  #gateFamily(degree: number): GateFamily {
    const columns = columnsUpTo(this.#context.table, degree);
    return {
      columns,
      dimension: stumpVcDimension(columns.length),
      guaranteed: thresholdComplexity(columns.length, degree, this.#context.rows.length) / 2,
      rademacher: this.#thresholdComplexity(columns),
    };
  }

  #leafComplexity(leaf: LeafFamily): LeafComplexity {
    const { features, rows, table, kernels } = this.#context;
    if (leaf.kind === "constant") return constantLeaves(rows.length);
    if (leaf.kind === "threshold") {
      const columns = columnsUpTo(table, leaf.degree);
      return thresholdLeaves(columns.length, leaf.degree, rows.length, this.#thresholdComplexity(columns));
    }
    if (!kernels) throw new Error("Kernels were not prepared.");
    return kernelLeaves(kernels.kernels[leaf.kernel], features.columns, rows);
  }

  /** Estimates R̂_S of thresholds on the training points, by Monte Carlo with the exact supremum, when first called. */
  #thresholdComplexity(columns: readonly MonomialColumn[]): () => number {
    const { rows, run } = this.#context;
    let known: number | undefined;
    return () => {
      known ??= Math.min(
        1,
        monteCarloRademacher(
          rows.length,
          thresholdSuprema(() => columns.map(({ values }) => Float64Array.from(rows, (row) => values[row]))),
          { draws: DRAWS, random: new Random(run.seed), confidence: CONFIDENCE },
        ).upper,
      );
      return known;
    };
  }

  #measure(): ComplexityMeasure {
    const { complexity: term, space } = this.#context.settings;
    const m = this.#context.rows.length;
    const of = (choice: number, points: number, norm: number): NodeComplexity => {
      const { leaf, gate } = this.#families(choice);
      if (term === "vc") {
        return { leaf: vcComplexity(leaf.dimension, m), gate: vcComplexity(gate.dimension, m) };
      }
      if (term === "vc-local") {
        return {
          leaf: vcLocalComplexity(leaf.dimension, points),
          gate: vcLocalComplexity(gate.dimension, points),
        };
      }
      return { leaf: leaf.rademacher(norm), gate: gate.rademacher() / 2 };
    };
    return {
      of: (choice, points, { norm }) => of(choice, points, norm),
      least: (choice, points) => {
        const { leaf, gate } = of(choice, points, 0);
        return space.maxDepth === 1 ? leaf : Math.min(leaf, gate);
      },
    };
  }
}

/** Draws of signs for the Rademacher complexity of thresholds. */
const DRAWS = 50;

/** The estimate of a complexity is at least the true one with this probability. */
const CONFIDENCE = 0.99;

/** A family of gates, thresholds on the monomials up to a degree, and its complexity. */
interface GateFamily {
  readonly columns: readonly MonomialColumn[];
  readonly dimension: number;
  /** An upper bound on R̂_S of the gates, for certificates. */
  readonly guaranteed: number;
  /** Returns an upper bound on R̂_S of the threshold functions; gates have values 0 and 1, and half of it. */
  readonly rademacher: () => number;
}

/** The complexity of a family of leaf classifiers. */
interface LeafComplexity {
  /** VC dimension, or an upper bound on it. */
  readonly dimension: number;
  /** An upper bound on R̂_S, for certificates. */
  readonly guaranteed: number;
  /** Returns an upper bound on R̂_S for a leaf whose classifier has this norm; 0 ≤ norm. */
  rademacher(norm: number): number;
}

/** Measures the two constants. R̂_S ≤ 1/√m, since E|Σσ_i| ≤ √m. */
function constantLeaves(m: number): LeafComplexity {
  const complexity = 1 / Math.sqrt(m);
  return {
    dimension: 1,
    guaranteed: Math.min(complexity, leafVcComplexity(1, m)),
    rademacher: () => complexity,
  };
}

/** Measures thresholds on monomials, the constants among them; `rademacher` returns an upper bound on R̂_S. */
function thresholdLeaves(
  monomials: number,
  degree: number,
  m: number,
  rademacher: () => number,
): LeafComplexity {
  const dimension = stumpVcDimension(monomials);
  return { dimension, guaranteed: thresholdComplexity(monomials, degree, m), rademacher };
}

/** Measures kernel machines on some training points. R̂_S is that of the ball with the norm of the trained one. */
function kernelLeaves(
  { kernel, diagonal }: KernelRows,
  features: number,
  training: Int32Array,
): LeafComplexity {
  const unit = kernelBallComplexity(
    Float64Array.from(training, (row) => diagonal[row]),
    1,
  );
  const dimension = kernelVcDimension(kernel, features, { bias: true });
  return {
    dimension,
    guaranteed: leafVcComplexity(dimension, training.length),
    rademacher: (norm) => Math.min(1, norm * unit),
  };
}
