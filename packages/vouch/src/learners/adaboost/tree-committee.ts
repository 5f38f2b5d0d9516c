import { z } from "zod";
import type { BinnedColumns } from "../../encode/binned-columns.js";
import { Matrix } from "../../runtime/matrix.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import { treeCommitteeCertificates } from "../../theory/boosting/boosting.js";
import type { Certificate } from "../../theory/certificate.js";
import { treeVcDimension } from "../../theory/vc/vc-dimension.js";
import type { Complexity } from "../model.js";
import { checkColumns } from "../training-sample.js";
import type { TreeSet } from "../tree/tree-set.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/tree-state.js";
import { MOST_ADABOOST_DEPTH } from "./adaboost-options.js";
import type { RoundFacts } from "./boosting.js";
import {
  CommitteeModel,
  type CommitteeParts,
  committeeState,
  committeeStructure,
  readCommittee,
  type WeighedAnswers,
} from "./committee.js";
import { classesByTree } from "./trees.js";

/** Deeper trees can tell more rows apart than certificates could be of use for. */
const DEEPEST_COUNTED = 10;

const structure = committeeStructure.extend({
  weakLearner: z.literal("tree"),
  depth: z.int().min(1).max(MOST_ADABOOST_DEPTH),
  numeric: z.boolean(),
});

/** What a committee of trees consists of. */
interface TreeCommitteeParts extends CommitteeParts<RoundFacts> {
  /** The tree of each round; its leaves hold one class each. */
  readonly trees: TreeSet;
  /** How deep trees could be at most. */
  readonly depth: number;
  /** Whether all features are numbers. */
  readonly numeric: boolean;
}

/** A committee of small decision trees: f(x) = Σ α_t h_t(x) (Triviño 2017, eq. 3.1). */
export class AdaBoostTreesModel
  extends CommitteeModel<BinnedColumns, RoundFacts>
  implements TreeCommitteeParts
{
  readonly trees: TreeSet;
  readonly depth: number;
  readonly numeric: boolean;

  constructor(parts: TreeCommitteeParts) {
    super(parts);
    this.trees = parts.trees;
    this.depth = parts.depth;
    this.numeric = parts.numeric;
  }

  scores(features: BinnedColumns): Matrix {
    const shares = new Matrix(features.rows, this.classes.length);
    const { values, columns } = shares;
    let total = 0;
    for (const { classes, alpha } of this.#votes(features)) {
      total += alpha;
      for (let i = 0; i < classes.length; i++) values[i * columns + classes[i]] += alpha;
    }
    for (let k = 0; k < values.length; k++) values[k] /= total;
    return shares;
  }

  after(rounds: number): AdaBoostTreesModel {
    if (rounds === this.rounds.length) return this;
    const { depth, numeric } = this;
    return new AdaBoostTreesModel({
      ...this.first(rounds),
      trees: this.trees.slice(0, rounds),
      depth,
      numeric,
    });
  }

  /** VC dimension of the trees, not of their votes; known for numbers and two classes. */
  complexity(): Complexity {
    const voters = this.rounds.length;
    const counts = { rounds: voters, features: this.featureNames.length, leaves: this.#leaves() };
    if (!this.#isCounted() || this.classes.length !== 2) return { counts };
    const vcDimension = treeVcDimension(this.featureNames.length, 2 ** this.depth);
    return { vote: { voters, vcDimension }, counts: { ...counts, treeVcDimension: vcDimension } };
  }

  /** None where there are categories: sets of them divide rows in more ways than could be counted usefully. */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const evidence = this.evidence(confidence);
    if (!evidence || !this.#isCounted()) return [];
    return treeCommitteeCertificates({ ...evidence, leaves: 2 ** this.depth });
  }

  override describe(): { readonly [fact: string]: Json } {
    return { depth: this.depth, leaves: this.#leaves(), ...super.describe() };
  }

  toState(): State {
    const { depth, numeric } = this;
    const { json, tensors } = committeeState(this);
    return {
      json: { ...json, weakLearner: "tree", depth, numeric },
      tensors: { ...tensors, ...treeTensors(this.trees) },
    };
  }

  /** Whether a state is of a committee of trees, and not of stumps. */
  static isStateOf({ json }: State): boolean {
    return typeof json === "object" && json !== null && "weakLearner" in json;
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): AdaBoostTreesModel {
    const reader = new StateReader("adaboost model", state);
    const json = reader.json(structure);
    const { classes, featureNames, depth, numeric } = json;
    const committee = readCommittee(reader, json, ...treeTensorNames());
    const trees = readTrees(reader, { classes: classes.length, columns: featureNames.length });
    if (trees.trees !== json.rounds) throw reader.corrupt(`${json.rounds} rounds have ${trees.trees} trees`);
    if (trees.arrays.leafClasses.length > 0) throw reader.corrupt("leaves have several classes");
    for (let t = 0; t < trees.trees; t++) {
      if (trees.depthOf(t) > depth) throw reader.corrupt(`tree ${t + 1} is deeper than ${depth}`);
    }
    return new AdaBoostTreesModel({ ...committee, trees, depth, numeric });
  }

  protected *answers(features: BinnedColumns): Generator<WeighedAnswers, void> {
    for (const { classes, alpha } of this.#votes(features)) {
      yield { answers: { left: 0, right: 1, sides: classes }, alpha };
    }
  }

  protected describeRule(round: number): { readonly [fact: string]: Json } {
    return { leaves: this.trees.leavesOf(round), depth: this.trees.depthOf(round) };
  }

  /** The class that each tree says of each row, and how much its vote weighs; the array is overwritten by the next. */
  *#votes(features: BinnedColumns): Generator<{ classes: Int32Array; alpha: number }, void> {
    checkColumns(features, this.featureNames);
    const classes = new Int32Array(features.rows);
    for (const [t, { alpha }] of this.rounds.entries()) {
      classesByTree(this.trees, t, features, classes);
      yield { classes, alpha };
    }
  }

  #isCounted(): boolean {
    return this.numeric && this.depth <= DEEPEST_COUNTED;
  }

  #leaves(): number {
    const { nodes, trees } = this.trees;
    return (nodes + trees) / 2;
  }
}
