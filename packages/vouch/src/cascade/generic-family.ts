import { monteCarloRademacher } from "../bounds/rademacher.js";
import { thresholdSuprema } from "../bounds/rademacher-thresholds.js";
import { leafVcComplexity, vcComplexity, vcLocalComplexity } from "../bounds/vc-complexity.js";
import type { KernelRows } from "../kernel/index.js";
import { checkpoint, type Run } from "../learning/run.js";
import type { Arena } from "../numeric/arena.js";
import type { Matrix } from "../numeric/matrix.js";
import { Random } from "../numeric/random.js";
import { stumpVcDimension } from "../stump/index.js";
import type { ComplexityKind } from "./complexity.js";
import type { BuiltLevel, CascadeFamily, FamilyOnRows } from "./family.js";
import { type KernelPreparation, openNotice, prepareKernels } from "./kernel-family.js";
import type { OpenSolutions } from "./kernel-nodes.js";
import {
  constantLeaves,
  type FittedLeaf,
  guaranteedLeaf,
  kernelLeaves,
  type LeafFamily,
  thresholdLeaves,
} from "./leaf-families.js";
import { Workplace } from "./machine.js";
import { type MonomialColumn, monomialTable } from "./monomial-table.js";
import type { BestLevel, ComplexityMeasure, NodeComplexity } from "./search.js";
import type { CascadeSpace } from "./space.js";
import { bestQuestions, LabelledRows } from "./thresholds.js";
import type { NodeRequest, NodeTrainer, TrainedGate, TrainedNode } from "./trained-node.js";

/** The families of hypotheses that leaves may have: their kind and the degree of their polynomials. */
export type LeafKind =
  | { readonly kind: "constant" }
  | { readonly kind: "threshold" | "kernel"; readonly degree: number };

/** What Algorithm 1 chooses from. A node's choice is a pair of families: leaf · |Q| + question. */
export interface GenericSettings {
  readonly space: CascadeSpace;
  readonly leaves: readonly LeafKind[];
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
  const columns = await monomialTable(features, Math.max(...degrees), run);
  const kernelDegrees = leaves.flatMap((leaf) => (leaf.kind === "kernel" ? [leaf.degree] : []));
  const kernels =
    kernelDegrees.length > 0
      ? await prepareKernels(features, labels, { ...settings.kernels, degrees: kernelDegrees }, run)
      : undefined;
  return {
    space,
    families: leaves.length * questions.length,
    notices: kernels?.notices ?? [],
    on: (rows) =>
      new GenericOnRows({ features, labels, settings, columns, kernels, kernelDegrees, rows, run }),
    release: () => kernels?.release(),
  };
}

interface Parts {
  readonly features: Matrix;
  readonly labels: Int8Array;
  readonly settings: GenericSettings;
  readonly columns: readonly MonomialColumn[];
  readonly kernels: KernelPreparation | undefined;
  readonly kernelDegrees: readonly number[];
  readonly rows: Int32Array;
  readonly run: Run;
}

/** A family of node questions: thresholds on the monomials up to a degree. */
interface QuestionFamily {
  readonly columns: readonly MonomialColumn[];
  readonly dimension: number;
  /** An upper bound of R̂_S of the threshold functions; questions have values 0 and 1, and half of it. */
  readonly rademacher: () => number;
}

class GenericOnRows implements FamilyOnRows, NodeTrainer {
  readonly trainer = this;
  readonly complexity: ComplexityMeasure;
  readonly #parts: Parts;
  readonly #leaves: readonly LeafFamily[];
  readonly #questions: readonly QuestionFamily[];
  readonly #arena: Arena | undefined;
  #open: OpenSolutions = { count: 0, largestGap: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    const kernel: KernelRows | undefined = parts.kernels?.kernels[0];
    this.#arena = kernel && Workplace.arena("svm", parts.rows.length, kernel.memory);
    this.#questions = parts.settings.questions.map((degree) => this.#questionFamily(degree));
    this.#leaves = parts.settings.leaves.map((leaf) => this.#leafFamily(leaf));
    this.complexity = this.#measure();
  }

  /** Trains nodes one after the other; where leaves are machines, one machine per gate. */
  async train(requests: readonly NodeRequest[]): Promise<TrainedNode[]> {
    const trained: TrainedNode[] = [];
    for (const request of requests) trained.push(await this.#train(request));
    return trained;
  }

  async build(levels: readonly BestLevel[]): Promise<BuiltLevel[]> {
    const { space } = this.#parts.settings;
    const m = this.#parts.rows.length;
    const built: BuiltLevel[] = [];
    for (const { choice, rows, fraction } of levels) {
      const { leaf, question } = this.#families(choice);
      const [asked] = fraction === undefined ? [] : this.#ask(rows, question, [space.fractions[fraction]]);
      const { norm, classifier } = await leaf.fit(asked ? without(rows, asked.on) : rows);
      built.push({
        classifier: classifier(),
        ...(asked && { question: asked.question }),
        degree: leaf.degree,
        complexity: this.complexity.of(choice, rows.length, { norm }),
        guaranteed: {
          leaf: guaranteedLeaf(leaf, m),
          gate: leafVcComplexity(question.dimension, m) / 2,
        },
      });
    }
    return built;
  }

  notices(): readonly string[] {
    const { machine } = this.#parts.settings.kernels;
    return machine.kind === "svm" ? openNotice("of the search", this.#open, machine.solver) : [];
  }

  release(): void {
    this.#arena?.release();
  }

  async #train({ rows, choice, gated }: NodeRequest): Promise<TrainedNode> {
    await checkpoint(this.#parts.run);
    const { leaf, question } = this.#families(choice);
    const { correct, norm } = await this.#fit(leaf, rows);
    const gates: TrainedGate[] = [];
    const { fractions } = this.#parts.settings.space;
    const questions = gated ? this.#ask(rows, question, fractions) : [];
    for (const [f, asked] of questions.entries()) {
      if (!asked) continue;
      const stay = without(rows, asked.on);
      const own = await this.#fit(leaf, stay);
      gates.push({
        fraction: f,
        rows: asked.on,
        correct: own.correct,
        wrong: stay.length - own.correct,
        norm: own.norm,
      });
    }
    return { correct, wrong: rows.length - correct, norm, gates };
  }

  async #fit(leaf: LeafFamily, rows: Int32Array): Promise<FittedLeaf> {
    const fitted = await leaf.fit(rows);
    const { count, largestGap } = this.#open;
    if (fitted.openGap !== undefined) {
      this.#open = { count: count + 1, largestGap: Math.max(largestGap, fitted.openGap) };
    }
    return fitted;
  }

  #ask(rows: Int32Array, { columns }: QuestionFamily, fractions: readonly number[]) {
    return bestQuestions(new LabelledRows(rows, this.#parts.labels), columns, fractions);
  }

  #families(choice: number): { leaf: LeafFamily; question: QuestionFamily } {
    const { length } = this.#questions;
    return { leaf: this.#leaves[Math.floor(choice / length)], question: this.#questions[choice % length] };
  }

  #columns(degree: number): readonly MonomialColumn[] {
    return this.#parts.columns.filter(({ monomial }) => monomial.length <= degree);
  }

  #questionFamily(degree: number): QuestionFamily {
    const columns = this.#columns(degree);
    return {
      columns,
      dimension: stumpVcDimension(columns.length),
      rademacher: this.#thresholdComplexity(columns),
    };
  }

  #leafFamily(leaf: LeafKind): LeafFamily {
    const { features, labels, rows, kernels, kernelDegrees, run } = this.#parts;
    if (leaf.kind === "constant") return constantLeaves(labels, rows.length);
    if (leaf.kind === "threshold") {
      const columns = this.#columns(leaf.degree);
      return thresholdLeaves(features, labels, columns, leaf.degree, this.#thresholdComplexity(columns));
    }
    if (!kernels || !this.#arena) throw new Error("Kernels were not prepared.");
    const choice = kernelDegrees.indexOf(leaf.degree);
    const workplace = new Workplace(this.#arena.descriptor(), { checkpoint: () => checkpoint(run) });
    const settings = kernels.machine(rows);
    return kernelLeaves(features, labels, kernels.kernels[choice], rows, choice, settings, workplace);
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

/** The rows that are not among some of them; both ascend. */
function without(rows: Int32Array, some: Int32Array): Int32Array {
  let next = 0;
  return rows.filter((row) => {
    if (some[next] !== row) return true;
    next++;
    return false;
  });
}
