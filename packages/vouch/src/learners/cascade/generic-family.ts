import type { Matrix } from "../../runtime/matrix.js";
import { Random } from "../../runtime/random.js";
import type { Run } from "../../runtime/run.js";
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
import type { BuiltLevel, CascadeFamily, FamilyOnRows } from "./cascade-family.js";
import type { ComplexityKind } from "./complexity.js";
import {
  type CascadeLeafKind,
  choiceFamilies,
  type FittedLeaf,
  type GenericNodeMaterial,
  genericNodes,
  leafTask,
  without,
} from "./generic-nodes.js";
import { type KernelPreparation, openNotice, prepareKernels } from "./kernel-family.js";
import type { LeafClassifier } from "./leaf-classifier.js";
import { degreeOf } from "./node-kernels.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel, ComplexityMeasure, NodeComplexity } from "./search.js";
import type { CascadeSpace } from "./space.js";
import {
  type AskedQuestion,
  bestQuestions,
  columnsUpTo,
  type MonomialColumn,
  type MonomialTable,
  monomialTable,
  SignedRows,
} from "./thresholds.js";

/** How complex a set of hypotheses is that the classifier of a leaf may come from. */
interface LeafFamily {
  /** Degree of the polynomials in it; 0 for constants, and for kernels that are not polynomial. */
  readonly degree: number;
  /** VC dimension, or an upper bound of it. */
  readonly dimension: number;
  /** An upper bound of R̂_S, for certificates. */
  readonly guaranteed: number;
  /** An upper bound of R̂_S for a leaf with a classifier of that norm; 0 ≤ norm. */
  rademacher(norm: number): number;
}

/** The two constants. R̂_S ≤ 1/√m, since E|Σσ_i| ≤ √m. */
function constantLeaves(m: number): LeafFamily {
  const complexity = 1 / Math.sqrt(m);
  return {
    degree: 0,
    dimension: 1,
    guaranteed: Math.min(complexity, leafVcComplexity(1, m)),
    rademacher: () => complexity,
  };
}

/** Thresholds on so many monomials, the constants among them; `complexity` is what R̂_S was found to be at most. */
function thresholdLeaves(monomials: number, degree: number, m: number, complexity: () => number): LeafFamily {
  const dimension = stumpVcDimension(monomials);
  return {
    degree,
    dimension,
    guaranteed: thresholdComplexity(monomials, degree, m),
    rademacher: complexity,
  };
}

/** Machines with a kernel, on some training points. R̂_S is that of the ball with the norm of the trained one. */
function kernelLeaves({ kernel, diagonal }: KernelRows, features: number, training: Int32Array): LeafFamily {
  const unit = kernelBallComplexity(
    Float64Array.from(training, (row) => diagonal[row]),
    1,
  );
  const dimension = kernelVcDimension(kernel, features, { bias: true });
  return {
    degree: degreeOf(kernel),
    dimension,
    guaranteed: leafVcComplexity(dimension, training.length),
    rademacher: (norm) => Math.min(1, norm * unit),
  };
}

/** What Algorithm 1 chooses from. A node's choice is a pair of families: leaf · |Q| + question. */
export interface GenericSettings {
  readonly space: CascadeSpace;
  readonly leaves: readonly CascadeLeafKind[];
  /** Degrees of the monomials that questions may ask for. */
  readonly questions: readonly number[];
  readonly complexity: ComplexityKind;
  readonly kernels: Parameters<typeof prepareKernels>[2];
}

/** Draws of signs for the Rademacher complexity of thresholds. */
const DRAWS = 50;

/** The estimate of a complexity is above the true one with this probability. */
const CONFIDENCE = 0.99;

/** Cascades whose leaves and questions come from families of one's choice (Algorithm 1 of the paper). */
export async function genericFamily(
  features: Matrix,
  labels: Int8Array,
  settings: GenericSettings,
  run: Run,
): Promise<CascadeFamily> {
  const { leaves, questions, space } = settings;
  const degrees = [...questions, ...leaves.map((leaf) => (leaf.kind === "threshold" ? leaf.degree : 1))];
  const table = await monomialTable(features, Math.max(...degrees), run);
  const kernels =
    settings.kernels.kernels.length > 0
      ? await prepareKernels(features, labels, settings.kernels, run)
      : undefined;
  return {
    space,
    families: leaves.length * questions.length,
    notices: kernels?.notices ?? [],
    on: (rows) => new GenericOnRows({ features, labels, settings, table, kernels, rows, run }),
    release: () => kernels?.release(),
  };
}

interface Parts {
  readonly features: Matrix;
  readonly labels: Int8Array;
  readonly settings: GenericSettings;
  readonly table: MonomialTable;
  readonly kernels: KernelPreparation | undefined;
  readonly rows: Int32Array;
  readonly run: Run;
}

/** A family of node questions: thresholds on the monomials up to a degree. */
interface QuestionFamily {
  readonly columns: readonly MonomialColumn[];
  readonly dimension: number;
  /** An upper bound of R̂_S of the questions, for certificates. */
  readonly guaranteed: number;
  /** An upper bound of R̂_S of the threshold functions; questions have values 0 and 1, and half of it. */
  readonly rademacher: () => number;
}

class GenericOnRows implements FamilyOnRows {
  readonly trainer: ParallelNodes<GenericNodeMaterial>;
  readonly complexity: ComplexityMeasure;
  readonly #parts: Parts;
  readonly #material: GenericNodeMaterial;
  readonly #leaves: readonly LeafFamily[];
  readonly #questions: readonly QuestionFamily[];

  constructor(parts: Parts) {
    const { settings, labels, table, kernels, rows, run } = parts;
    const { leaves, questions, space } = settings;
    this.#parts = parts;
    const values = kernels?.kernels ?? [];
    this.#material = {
      labels,
      table,
      leaves,
      questions,
      fractions: space.fractions,
      kernels: values.map((kernel) => kernel.descriptor()),
      ...(kernels && { machine: kernels.machine(rows) }),
    };
    this.#questions = questions.map((degree) => this.#questionFamily(degree));
    this.#leaves = leaves.map((leaf) => this.#leafFamily(leaf));
    this.complexity = this.#measure();
    this.trainer = genericNodes(this.#material, values, rows.length, run);
  }

  async build(levels: readonly BestLevel[]): Promise<BuiltLevel[]> {
    const { leaves } = this.#parts.settings;
    const built: BuiltLevel[] = [];
    for (const { choice, rows, fraction } of levels) {
      const { leaf, question } = this.#families(choice);
      const asked = fraction === undefined ? undefined : this.#ask(rows, question, fraction);
      const own = asked ? without(rows, asked.on) : rows;
      const kind = leaves[choiceFamilies(choice, this.#material).leaf];
      const input = { material: this.#material, leaf: kind, rows: own };
      const { norm, fitted } = await this.trainer.runOne(leafTask, input, own.length ** 2);
      built.push({
        classifier: this.#classifier(kind, own, fitted),
        ...(asked && { question: asked.question }),
        degree: leaf.degree,
        complexity: this.complexity.of(choice, rows.length, { norm }),
        guaranteed: { leaf: leaf.guaranteed, gate: question.guaranteed },
      });
    }
    return built;
  }

  notices(): readonly string[] {
    const { machine } = this.#material;
    return machine?.kind === "svm" ? openNotice("of the search", this.trainer.open, machine) : [];
  }

  release(): void {
    this.trainer.release();
  }

  /** The question that a node asks with a fraction, the same as in training. */
  #ask(rows: Int32Array, { columns }: QuestionFamily, fraction: number): AskedQuestion | undefined {
    const { labels, settings } = this.#parts;
    return bestQuestions(new SignedRows(rows, labels), columns, [settings.space.fractions[fraction]])[0];
  }

  #classifier(leaf: CascadeLeafKind, rows: Int32Array, fitted: FittedLeaf["fitted"]): LeafClassifier {
    if (fitted.kind !== "machine") return fitted;
    const { features, kernels } = this.#parts;
    if (leaf.kind !== "kernel" || !kernels) throw new Error("A machine has no kernel.");
    const { machine } = fitted;
    return {
      kind: "kernel",
      machine: KernelExpansion.trainedOn(features, rows, kernels.kernels[leaf.kernel].kernel, machine),
      ...(machine.cost !== undefined && { cost: machine.cost }),
    };
  }

  #families(choice: number): { leaf: LeafFamily; question: QuestionFamily } {
    const { leaf, question } = choiceFamilies(choice, this.#material);
    return { leaf: this.#leaves[leaf], question: this.#questions[question] };
  }

  #questionFamily(degree: number): QuestionFamily {
    const columns = columnsUpTo(this.#parts.table, degree);
    return {
      columns,
      dimension: stumpVcDimension(columns.length),
      guaranteed: thresholdComplexity(columns.length, degree, this.#parts.rows.length) / 2,
      rademacher: this.#thresholdComplexity(columns),
    };
  }

  #leafFamily(leaf: CascadeLeafKind): LeafFamily {
    const { features, rows, table, kernels } = this.#parts;
    if (leaf.kind === "constant") return constantLeaves(rows.length);
    if (leaf.kind === "threshold") {
      const columns = columnsUpTo(table, leaf.degree);
      const complexity = this.#thresholdComplexity(columns);
      return thresholdLeaves(columns.length, leaf.degree, rows.length, complexity);
    }
    if (!kernels) throw new Error("Kernels were not prepared.");
    return kernelLeaves(kernels.kernels[leaf.kernel], features.columns, rows);
  }

  /** R̂_S of thresholds on the training points, by Monte Carlo with the exact supremum; computed when first asked for. */
  #thresholdComplexity(columns: readonly MonomialColumn[]): () => number {
    const { rows, run } = this.#parts;
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
    const { complexity: kind, space } = this.#parts.settings;
    const m = this.#parts.rows.length;
    const of = (choice: number, points: number, norm: number): NodeComplexity => {
      const { leaf, question } = this.#families(choice);
      if (kind === "vc") {
        return { leaf: vcComplexity(leaf.dimension, m), gate: vcComplexity(question.dimension, m) };
      }
      if (kind === "vc-local") {
        return {
          leaf: vcLocalComplexity(leaf.dimension, points),
          gate: vcLocalComplexity(question.dimension, points),
        };
      }
      return { leaf: leaf.rademacher(norm), gate: question.rademacher() / 2 };
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
