import { Matrix } from "../../runtime/matrix.js";
import { type Json, type State, StateReader } from "../../runtime/state.js";
import { stumpCommitteeCertificates } from "../../theory/boosting/boosting.js";
import type { Certificate } from "../../theory/certificate.js";
import { stumpVcDimension } from "../../theory/vc/vc-dimension.js";
import type { Complexity } from "../model.js";
import { checkFeatures } from "../training-sample.js";
import type { CommitteeRound } from "./boosting.js";
import {
  CommitteeModel,
  type CommitteeParts,
  committeeState,
  committeeStructure,
  readCommittee,
  type WeighedAnswers,
} from "./committee.js";
import { stumps } from "./stumps.js";
import { VoteTable } from "./votes.js";

/** In a state, the feature of a stump that asks no question. */
const NO_FEATURE = -1;

/** A committee of decision stumps: f(x) = Σ α_t h_t(x) (Triviño 2017, eq. 3.1). */
export class AdaBoostModel extends CommitteeModel<Matrix, CommitteeRound> {
  readonly #table: VoteTable;

  constructor(parts: CommitteeParts<CommitteeRound>) {
    super(parts);
    this.#table = new VoteTable(parts.rounds, parts.classes.length);
  }

  scores(features: Matrix): Matrix {
    checkFeatures(features, this.featureNames);
    return new Matrix(features.rows, this.classes.length, this.#table.shares(features));
  }

  after(rounds: number): AdaBoostModel {
    return rounds === this.rounds.length ? this : new AdaBoostModel(this.first(rounds));
  }

  /** VC dimension of the stumps, not of their votes: what Theorems 3.3 and 3.5 ask for beside the rounds. */
  complexity(): Complexity {
    const features = this.featureNames.length;
    const voters = this.rounds.length;
    const counts = { rounds: voters, features };
    if (this.classes.length !== 2) return { counts };
    const vcDimension = stumpVcDimension(features);
    return { vote: { voters, vcDimension }, counts: { ...counts, stumpVcDimension: vcDimension } };
  }

  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const evidence = this.evidence(confidence);
    if (!evidence) return [];
    const isTwo = this.classes.length === 2;
    const different = new Set(
      this.rounds.flatMap(({ split, left, right }) =>
        split ? [`${split.feature} ${split.threshold} ${isTwo ? "" : `${left} ${right}`}`] : [],
      ),
    );
    return stumpCommitteeCertificates({ ...evidence, stumps: different.size });
  }

  toState(): State {
    const { rounds } = this;
    const shape = [rounds.length];
    const integers = (of: (round: CommitteeRound) => number) => ({
      shape,
      data: Int32Array.from(rounds, of),
    });
    const { json, tensors } = committeeState(this);
    return {
      json,
      tensors: {
        feature: integers(({ split }) => split?.feature ?? NO_FEATURE),
        threshold: { shape, data: Float64Array.from(rounds, ({ split }) => split?.threshold ?? 0) },
        left: integers(({ left }) => left),
        right: integers(({ right }) => right),
        ...tensors,
      },
    };
  }

  /** The model behind a state that `toState` gave. */
  static restore(state: State): AdaBoostModel {
    const reader = new StateReader("adaboost model", state);
    const json = reader.json(committeeStructure);
    const { classes, featureNames } = json;
    const committee = readCommittee(reader, json, "feature", "threshold", "left", "right");
    const shape = [json.rounds];
    const feature = reader.integers("feature", shape, NO_FEATURE, featureNames.length - 1);
    const threshold = reader.numbers("threshold", shape);
    const left = reader.integers("left", shape, 0, classes.length - 1);
    const right = reader.integers("right", shape, 0, classes.length - 1);
    const rounds = committee.rounds.map((facts, t): CommitteeRound => {
      const constant = feature[t] === NO_FEATURE;
      if (constant && (left[t] !== right[t] || threshold[t] !== 0)) {
        throw reader.corrupt(`stump ${t + 1} has two sides but no question`);
      }
      return {
        split: constant ? undefined : { feature: feature[t], threshold: threshold[t] },
        left: left[t],
        right: right[t],
        ...facts,
      };
    });
    return new AdaBoostModel({ ...committee, rounds });
  }

  protected *answers(features: Matrix): Generator<WeighedAnswers, void> {
    checkFeatures(features, this.featureNames);
    const ask = stumps.asking(features);
    for (const round of this.rounds) yield { answers: ask(round), alpha: round.alpha };
  }

  protected describeRule(round: number): { readonly [fact: string]: Json } {
    const { split, left, right } = this.rounds[round];
    if (!split) return { predicts: this.classes[left] };
    return {
      feature: this.featureNames[split.feature],
      threshold: split.threshold,
      left: this.classes[left],
      right: this.classes[right],
    };
  }
}
