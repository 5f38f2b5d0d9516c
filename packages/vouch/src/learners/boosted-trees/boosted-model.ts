import { z } from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { Arena, HeldMemory } from "../../runtime/arena.js";
import { alignUp } from "../../runtime/heap.js";
import type { Matrix } from "../../runtime/matrix.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import { inOneGo } from "../../runtime/steps.js";
import { NODE_WORDS } from "../../runtime/tree-kernels.js";
import { VouchError } from "../../runtime/vouch-error.js";
import { sumsAtOnce } from "../forest/forest-scores.js";
import type { Complexity, Model } from "../model.js";
import { marginsOf, predictionsOf } from "../scores.js";
import { checkColumns } from "../training-sample.js";
import { TreeColumns } from "../tree/tree-columns.js";
import { FEATURE_SHIFT, TreeSet } from "../tree/tree-set.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/tree-state.js";
import { ResidentTrees, TreeWalker } from "../tree/tree-walker.js";
import { probabilitiesOf } from "./boosted-rows.js";
import type { WorkerTrees } from "./rounds.js";

/** The first trees of all that workers have grown, in their order, with the gains of their splits. */
export function joinTrees(
  parts: readonly WorkerTrees[],
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const places = parts.flatMap(({ indices, arrays, gains }) =>
    arrays ? indices.map((index, t) => ({ index, trees: new TreeSet(arrays), gains: gains[t], t })) : [],
  );
  places.sort((a, b) => a.index - b.index);
  const kept = places.slice(0, count);
  const trees = TreeSet.concat(kept.map(({ trees, t }) => trees.slice(t, t + 1)));
  return { trees, gains: joined(kept.map(({ gains }) => gains)) };
}

/** The first trees of a set, and the gains of their splits: a view. */
function firstTrees(
  trees: TreeSet,
  gains: Float32Array,
  count: number,
): { readonly trees: TreeSet; readonly gains: Float32Array } {
  const first = trees.slice(0, count);
  return { trees: first, gains: gains.subarray(0, splitsOf(first)) };
}

/** How many splits the trees of a set have: in each of them one less than leaves. */
function splitsOf(trees: TreeSet): number {
  return (trees.nodes - trees.trees) / 2;
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * What the trees add to the margins of rows, row after row, after each round of `outputs` trees; the array is overwritten
 * by the next.
 */
function* stagedSums(
  trees: TreeSet,
  outputs: number,
  features: BinnedColumns,
): Generator<Float32Array, void> {
  const { rows } = features;
  const rounds = trees.trees / outputs;
  if (rows === 0) {
    for (let round = 0; round < rounds; round++) yield new Float32Array(0);
    return;
  }
  const held = new HeldMemory();
  try {
    const columns = held.hold(TreeColumns.of(features));
    const resident = held.hold(ResidentTrees.of(trees, columns));
    const bytes = TreeWalker.bytes(columns) + alignUp(4 * rows * outputs);
    const arena = held.hold(Arena.allocate(bytes));
    const walker = new TreeWalker(columns, resident, arena);
    const sums = arena.f32(rows * outputs);
    const every = Int32Array.from({ length: rows }, (_, i) => i);
    sums.view.fill(0);
    for (let round = 0; round < rounds; round++) {
      const ofRound = { begin: round * outputs, end: (round + 1) * outputs };
      inOneGo(walker.addScores({ ...ofRound, rows: every, scores: sums.pointer }));
      yield sums.view;
    }
  } finally {
    held.release();
  }
}

/** The reasons for which boosting ends. */
const boostedTreesStops = ["all rounds done", "validation loss no longer falls"] as const;

/** What a model consists of. */
interface BoostedTreesParts {
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  /** The margins before the first round: of the second of two classes, otherwise one for each class. */
  readonly base: Float64Array;
  /** For each round one tree, or one for each of several classes. */
  readonly trees: TreeSet;
  /** What each split has gained, tree after tree. */
  readonly gains: Float32Array;
  /** The mean loss on the training rows after each round. */
  readonly trainingLosses: Float64Array;
  /** The same on rows that were kept apart, if there were any. */
  readonly validationLosses?: Float64Array;
  readonly stop: (typeof boostedTreesStops)[number];
}

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()).min(1),
  stop: z.enum(boostedTreesStops),
  validated: z.boolean(),
});

/** Margins to begin with are logarithms of shares; larger ones in a file could overflow. */
const LARGEST_BASE = 1e6;

/** Gradient-boosted trees: probabilities from the sum of the values that the trees give. */
export class BoostedTreesModel implements Model<BinnedColumns> {
  readonly learner = "boosted-trees";
  readonly scoring = "probability";
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly base: Float64Array;
  readonly trees: TreeSet;
  readonly gains: Float32Array;
  readonly trainingLosses: Float64Array;
  readonly validationLosses: Float64Array | undefined;
  readonly stop: (typeof boostedTreesStops)[number];

  constructor(parts: BoostedTreesParts) {
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.base = parts.base;
    this.trees = parts.trees;
    this.gains = parts.gains;
    this.trainingLosses = parts.trainingLosses;
    this.validationLosses = parts.validationLosses;
    this.stop = parts.stop;
  }

  /** How many rounds were kept. */
  get rounds(): number {
    return this.trainingLosses.length;
  }

  /** The probability of each class. */
  scores(features: BinnedColumns): Matrix {
    checkColumns(features, this.featureNames);
    return probabilitiesOf(sumsAtOnce(this.trees, features), this.base);
  }

  predict(features: BinnedColumns): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** Probability of the true class minus the largest probability of another one. */
  margins(sample: Sample<BinnedColumns>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The model as it was after its first rounds. */
  after(rounds: number): BoostedTreesModel {
    if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= this.rounds)) {
      throw new VouchError("option/invalid", `The model has rounds 1 to ${this.rounds}, not ${rounds}.`);
    }
    if (rounds === this.rounds) return this;
    const { validationLosses } = this;
    return new BoostedTreesModel({
      ...this,
      ...firstTrees(this.trees, this.gains, rounds * this.base.length),
      trainingLosses: this.trainingLosses.subarray(0, rounds),
      ...(validationLosses && { validationLosses: validationLosses.subarray(0, rounds) }),
      stop: "all rounds done",
    });
  }

  /** The predictions after round 1, 2, …, one round's work each. */
  *stagedPredictions(features: BinnedColumns): Generator<Int32Array, void> {
    checkColumns(features, this.featureNames);
    const { base, trees } = this;
    for (const sums of stagedSums(trees, base.length, features)) {
      yield predictionsOf(probabilitiesOf(sums, base));
    }
  }

  /** For each feature its share of what all questions together have gained; zeros if there is no question. */
  get importances(): Float64Array {
    const { nodes } = this.trees.arrays;
    const amounts = new Float64Array(this.featureNames.length);
    let total = 0;
    for (let at = 1, split = 0; at < nodes.length; at += NODE_WORDS) {
      if (nodes[at] < 0) continue;
      const gain = this.gains[split++];
      amounts[nodes[at] >> FEATURE_SHIFT] += gain;
      total += gain;
    }
    return total > 0 ? amounts.map((amount) => amount / total) : amounts;
  }

  get notices(): readonly string[] {
    if (this.gains.length > 0) return [];
    return [
      "No question was worth asking: every row gets the same probabilities. Is minChildWeight too large for the weights of the rows?",
    ];
  }

  /** Leaves are held back by λ and the learning rate: no count of free parameters would be honest. */
  complexity(): Complexity {
    return { counts: { ...this.#size(), features: this.featureNames.length } };
  }

  describe(): Json {
    const { featureNames, importances, trainingLosses, validationLosses, stop } = this;
    const byImportance = [...importances.keys()].sort((a, b) => importances[b] - importances[a] || a - b);
    const last = this.rounds - 1;
    const losses = (round: number) => ({
      trainingLoss: trainingLosses[round],
      ...(validationLosses && { validationLoss: validationLosses[round] }),
    });
    return {
      ...this.#size(),
      stop,
      ...losses(last),
      importances: byImportance.map((j) => ({ feature: featureNames[j], importance: importances[j] })),
      losses: Array.from({ length: this.rounds }, (_, round) => losses(round)),
    };
  }

  toState(): State {
    const { classes, featureNames, stop, base, gains, trees, trainingLosses, validationLosses } = this;
    const tensor = <A extends Float32Array | Float64Array>(data: A) => ({ shape: [data.length], data });
    return {
      json: { classes, featureNames, stop, validated: validationLosses !== undefined },
      tensors: {
        base: tensor(base),
        gains: tensor(gains),
        trainingLosses: tensor(trainingLosses),
        ...(validationLosses && { validationLosses: tensor(validationLosses) }),
        ...treeTensors(trees),
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): BoostedTreesModel {
    const reader = new StateReader("boosted-trees model", state);
    const { validated, ...facts } = reader.json(structure);
    const outputs = facts.classes.length === 2 ? 1 : facts.classes.length;
    const rounds = reader.length("trainingLosses");
    const losses = (name: string) => reader.numbers(name, [rounds], 0);
    const trees = readTrees(reader, { classes: outputs, columns: facts.featureNames.length }, "", "values");
    if (trees.trees !== rounds * outputs) {
      throw reader.corrupt(`it has ${trees.trees} trees in ${rounds} rounds`);
    }
    reader.only(
      ...["base", "gains", "trainingLosses", ...(validated ? ["validationLosses"] : [])],
      ...treeTensorNames(),
    );
    return new BoostedTreesModel({
      ...facts,
      base: reader.numbers("base", [outputs], -LARGEST_BASE, LARGEST_BASE),
      trees,
      gains: reader.singles("gains", [splitsOf(trees)], 0, Number.MAX_VALUE),
      trainingLosses: losses("trainingLosses"),
      ...(validated && { validationLosses: losses("validationLosses") }),
    });
  }

  #size(): { rounds: number; trees: number; leaves: number; depth: number } {
    const { trees, rounds } = this;
    let depth = 0;
    for (let t = 0; t < trees.trees; t++) depth = Math.max(depth, trees.depthOf(t));
    return { rounds, trees: trees.trees, leaves: (trees.nodes + trees.trees) / 2, depth };
  }
}
