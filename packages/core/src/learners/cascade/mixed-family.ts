import type { Sample } from "../../encode/sample.js";
import type { Matrix } from "../../runtime/maths/matrix.js";
import type { Run } from "../../runtime/parallel/run.js";
import { onSharedMemory } from "../../runtime/parallel/shared-array.js";
import type { Learner } from "../learner.js";
import type { LeafClassifier, TrainedLevel } from "./cascade-level.js";
import {
  cascadeNodes,
  choiceFamilies,
  type FittedLeaf,
  type LeafFamily,
  leafTask,
  type NodeData,
  thresholdGates,
} from "./cascade-nodes.js";
import type { ComplexityTerm } from "./cascade-options.js";
import { type ClassLabels, machineClassifier } from "./class-machines.js";
import { FamilyComplexity } from "./family-complexity.js";
import type { CascadeFamily, FamilyOnRows } from "./fit-cascade.js";
import { LeafLearner, LearnerNodes } from "./learner-nodes.js";
import {
  type KernelSettings,
  type PreparedKernels,
  prepareKernels,
  unconvergedNotice,
} from "./node-kernels.js";
import type { Unconverged } from "./node-machine.js";
import type { ParallelNodes } from "./node-training.js";
import type { BestLevel } from "./search-cascades.js";
import type { CascadeSpace } from "./search-space.js";
import { type NodeTrainer, without } from "./sub-problems.js";
import { type MonomialTable, monomialTable } from "./thresholds.js";

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
export async function mixedFamily(
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
      return new MixedOnRows({ features, labelled, settings, table, kernels, rows, run, learner, learned });
    },
    release: () => kernels?.owner.release(),
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

class MixedOnRows implements FamilyOnRows {
  readonly trainer: NodeTrainer;
  readonly complexity: FamilyComplexity;
  readonly #nodes: ParallelNodes<NodeData>;
  readonly #context: Context;
  readonly #data: NodeData;

  constructor(context: Context) {
    const { features, settings, labelled, table, kernels, rows, run, learner, learned } = context;
    const { leaves, gates, fractions, candidates } = settings;
    this.#context = context;
    const values = kernels?.kernels ?? [];
    this.#data = {
      ...labelled,
      table,
      leaves,
      gates: gates.map((degree) => ({ kind: "threshold", degree })),
      fractions,
      candidates,
      kernels: values,
      ...(kernels && { machine: kernels.machine(rows) }),
    };
    this.complexity = new FamilyComplexity({
      leaves,
      gates,
      term: settings.complexity,
      maxDepth: settings.space.maxDepth,
      rows,
      features: features.columns,
      classes: labelled.classes,
      table,
      kernels: values,
      learned,
      seed: run.seed,
    });
    this.#nodes = cascadeNodes(this.#data, values, rows.length, run);
    this.trainer = learner ? new LearnerNodes(this.#nodes, this.#data, learner, run) : this.#nodes;
  }

  async build(levels: readonly BestLevel[]): Promise<TrainedLevel[]> {
    const { leaves } = this.#context.settings;
    const parts = levels.map(({ choice, rows, gate }) => {
      const found =
        gate && thresholdGates(rows, choiceFamilies(choice, this.#data).gate, this.#data)[gate.fraction];
      const leaf = leaves[choiceFamilies(choice, this.#data).leaf];
      return { found, leaf, rows: found ? without(rows, found.on) : rows };
    });
    const classifiers = await this.#classifiers(parts);
    return classifiers.map(({ norm, classifier }, k) => {
      const { choice, rows } = levels[k];
      const { found } = parts[k];
      return {
        classifier,
        ...(found && { gate: found.gate }),
        complexity: this.complexity.of(choice, rows.length, { norm }),
        guaranteed: this.complexity.guaranteed(choice),
      };
    });
  }

  /** Fits the classifiers of leaves: those of the learner one after the other, then all others on threads. */
  async #classifiers(
    leaves: readonly { readonly leaf: LeafFamily; readonly rows: Int32Array }[],
  ): Promise<{ readonly norm: number; readonly classifier: LeafClassifier }[]> {
    const { learner, labelled } = this.#context;
    const data = this.#data;
    const others = leaves.filter(({ leaf }) => leaf.kind !== "learner");
    const inputs = others.map(({ leaf, rows }) => ({ data, leaf, rows }));
    const trained = (await this.#nodes.runAll(leafTask, inputs)).values();
    const classifiers: { readonly norm: number; readonly classifier: LeafClassifier }[] = [];
    for (const { leaf, rows } of leaves) {
      const next = leaf.kind === "learner" ? undefined : trained.next().value;
      if (next) classifiers.push({ norm: next.norm, classifier: this.#classifier(leaf, rows, next.fitted) });
      else if (learner) classifiers.push({ norm: 0, ...(await learner.fit(rows, labelled)) });
    }
    return classifiers;
  }

  notices(unconverged: Unconverged): readonly string[] {
    const { machine } = this.#data;
    return machine?.kind === "svm" ? unconvergedNotice("of the search", unconverged, machine) : [];
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
}
