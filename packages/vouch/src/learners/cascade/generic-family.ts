import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
import { onSharedMemory } from "../../runtime/shared-array.js";
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
import type { Learner } from "../learner.js";
import type { LeafClassifier, TrainedLevel } from "./cascade-level.js";
import type { ComplexityTerm } from "./cascade-options.js";
import { type ClassLabels, machineClassifier } from "./class-machines.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import {
  choiceFamilies,
  type FittedLeaf,
  type GenericNodeMaterial,
  genericNodes,
  type LeafFamily,
  leafTask,
  nodeGates,
} from "./generic-nodes.js";
import { LeafLearner, LearnerNodes } from "./learner-nodes.js";
import { type KernelSettings, openNotice, type PreparedKernels, prepareKernels } from "./node-kernels.js";
import type { OpenSolutions } from "./node-machine.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search.js";
import type { CascadeSpace, ComplexityMeasure, NodeComplexity } from "./search-space.js";
import { type NodeTrainer, without } from "./sub-problems.js";
import { columnsUpTo, type MonomialColumn, type MonomialTable, monomialTable } from "./thresholds.js";

/** The cascades of Algorithm 1. A node's choice is a pair of families: leaf · |Q| + gate. */
interface GenericSettings {
  readonly space: CascadeSpace;
  readonly leaves: readonly LeafFamily[];
  /** Highest degree of the monomials of each family of gates. */
  readonly gates: readonly number[];
  readonly complexity: ComplexityTerm;
  readonly kernels: KernelSettings;
  readonly fractions: readonly number[];
  /** Gates of each fraction that compete; the space has a fraction for each of them. */
  readonly candidates: number;
  /** The learner of leaves of the kind `learner`. */
  readonly base?: Learner;
}

/** Prepares the cascades whose leaves and gates come from chosen families (Algorithm 1 of the paper). */
export async function genericFamily(
  sample: Sample,
  settings: GenericSettings,
  run: Run,
): Promise<CascadeFamily> {
  const { leaves, gates, space, base } = settings;
  const { features } = sample;
  const labelled = { labels: onSharedMemory(sample.labels), classes: sample.classes.length };
  const degrees = [...gates, ...leaves.map((leaf) => (leaf.kind === "threshold" ? leaf.degree : 1))];
  const table = await monomialTable(features, Math.max(...degrees), run);
  const kernels =
    settings.kernels.kernels.length > 0
      ? await prepareKernels(features, labelled, settings.kernels, run)
      : undefined;
  const learner = base && new LeafLearner(base, sample, run);
  return {
    space,
    families: leaves.length * gates.length,
    notices: kernels?.notices ?? [],
    ...(learner?.bins && { bins: learner.bins }),
    async on(rows) {
      const learned =
        learner && settings.complexity === "rademacher" ? await learner.complexity(rows, labelled) : 1;
      return new GenericOnRows({ features, labelled, settings, table, kernels, rows, run, learner, learned });
    },
    release: () => kernels?.release(),
  };
}

interface Context {
  readonly features: Matrix;
  readonly labelled: ClassLabels;
  readonly settings: GenericSettings;
  readonly table: MonomialTable;
  readonly kernels: PreparedKernels | undefined;
  readonly rows: Int32Array;
  readonly run: Run;
  readonly learner: LeafLearner | undefined;
  /** The complexity of the learner's models on these rows, as the search measures it. */
  readonly learned: number;
}

class GenericOnRows implements FamilyOnRows {
  readonly trainer: NodeTrainer;
  readonly complexity: ComplexityMeasure;
  readonly #nodes: ParallelNodes<GenericNodeMaterial>;
  readonly #context: Context;
  readonly #material: GenericNodeMaterial;
  readonly #leaves: readonly LeafComplexity[];
  readonly #gates: readonly GateFamily[];

  constructor(context: Context) {
    const { settings, labelled, table, kernels, rows, run, learner } = context;
    const { leaves, gates, fractions, candidates } = settings;
    this.#context = context;
    const values = kernels?.kernels ?? [];
    this.#material = {
      ...labelled,
      table,
      leaves,
      gates,
      fractions,
      candidates,
      kernels: values.map((kernel) => kernel.descriptor()),
      ...(kernels && { machine: kernels.machine(rows) }),
    };
    this.#gates = gates.map((degree) => this.#gateFamily(degree));
    this.#leaves = leaves.map((leaf) => this.#leafComplexity(leaf));
    this.complexity = this.#measure();
    this.#nodes = genericNodes(this.#material, values, rows.length, run);
    this.trainer = learner ? new LearnerNodes(this.#nodes, this.#material, learner, run) : this.#nodes;
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const { leaves } = this.#context.settings;
    const parts = levels.map(({ choice, rows, gate }) => {
      const found =
        gate && nodeGates(rows, choiceFamilies(choice, this.#material).gate, this.#material)[gate.fraction];
      const leaf = leaves[choiceFamilies(choice, this.#material).leaf];
      return { found, leaf, rows: found ? without(rows, found.on) : rows };
    });
    const classifiers = await this.#classifiers(parts);
    return classifiers.map(({ norm, classifier }, k) => {
      const { choice, rows } = levels[k];
      const { found } = parts[k];
      const families = this.#families(choice);
      return {
        classifier,
        ...(found && { gate: found.gate }),
        complexity: this.complexity.of(choice, rows.length, { norm }),
        guaranteed: { leaf: families.leaf.guaranteed, gate: families.gate.guaranteed },
      };
    });
  }

  /** Fits the classifiers of leaves: those of the learner one after the other, then all others on threads. */
  async #classifiers(
    leaves: readonly { readonly leaf: LeafFamily; readonly rows: Int32Array }[],
  ): Promise<{ readonly norm: number; readonly classifier: LeafClassifier }[]> {
    const { learner, labelled } = this.#context;
    const material = this.#material;
    const others = leaves.filter(({ leaf }) => leaf.kind !== "learner");
    const inputs = others.map(({ leaf, rows }) => ({ material, leaf, rows }));
    const trained = (await this.#nodes.runAll(leafTask, inputs)).values();
    const classifiers: { readonly norm: number; readonly classifier: LeafClassifier }[] = [];
    for (const { leaf, rows } of leaves) {
      const next = leaf.kind === "learner" ? undefined : trained.next().value;
      if (next) classifiers.push({ norm: next.norm, classifier: this.#classifier(leaf, rows, next.fitted) });
      else if (learner) classifiers.push({ norm: 0, ...(await learner.fit(rows, labelled)) });
    }
    return classifiers;
  }

  notices(open: OpenSolutions): readonly string[] {
    const { machine } = this.#material;
    return machine?.kind === "svm" ? openNotice("of the search", open, machine) : [];
  }

  release(): void {
    this.#nodes.release();
  }

  #classifier(leaf: LeafFamily, rows: Int32Array, fitted: FittedLeaf["fitted"]): LeafClassifier {
    if (fitted.kind !== "machines") return fitted;
    const { features, kernels, labelled } = this.#context;
    if (leaf.kind !== "kernel" || !kernels) throw new Error("A machine has no kernel.");
    const { kernel } = kernels.kernels[leaf.kernel];
    return machineClassifier(features, rows, kernel, fitted.machines, labelled.classes);
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
    const { features, rows, table, kernels, labelled, learned } = this.#context;
    const { classes } = labelled;
    if (leaf.kind === "constant") return constantLeaves(rows.length, classes);
    if (leaf.kind === "learner") return learnerLeaves(learned);
    if (leaf.kind === "threshold") {
      const columns = columnsUpTo(table, leaf.degree);
      return thresholdLeaves({
        monomials: columns.length,
        degree: leaf.degree,
        m: rows.length,
        classes,
        twoClasses: this.#thresholdComplexity(columns),
      });
    }
    if (!kernels) throw new Error("Kernels were not prepared.");
    return kernelLeaves(kernels.kernels[leaf.kernel], features.columns, rows, classes);
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
  /** VC dimension, or an upper bound on it; for K classes K − 1 times that, as in `leafVcComplexity`. */
  readonly dimension: number;
  /** An upper bound on R̂_S, for certificates. */
  readonly guaranteed: number;
  /** Returns an upper bound on R̂_S for a leaf whose classifier has this norm; 0 ≤ norm. */
  rademacher(norm: number): number;
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
