import type { BinnedColumns } from "../../encode/binned-columns.js";
import type { Sample } from "../../encode/sample.js";
import { Matrix } from "../../runtime/matrix.js";
import { formatPercent } from "../../runtime/number-format.js";
import type { Json, State } from "../../runtime/state.js";
import { VouchError } from "../../runtime/vouch-error.js";
import type { Certificate } from "../../theory/certificate.js";
import { mddfMargin } from "../../theory/forests/mddf-margin.js";
import { marginStatistics } from "../../theory/margins/margin-statistics.js";
import type { LearnerLookup } from "../legacy.js";
import type { Complexity, Model } from "../model.js";
import { marginsOf, predictionsOf } from "../scores.js";
import { checkColumns } from "../training-sample.js";
import { memberScores } from "./block.js";
import { deepForestState, restoreDeepForest } from "./deep-forest-state.js";
import { describeLayers, type LayerFacts } from "./describe-layers.js";
import { besideEachOther, type Layer, LayerInput, meanOf } from "./layer-input.js";
import { type Scan, scanned } from "./scan.js";

/**
 * What a layer hands on to the next: the class vectors of each of its members (casForest), the weighted mean f_t of the
 * layers so far (mdDF), or its own mean h_t alone (mdDF without preservation).
 */
type HandsOn = "vectors" | "sum" | "mean";

/** What goes from layer to layer. */
export interface Cascading {
  readonly handsOn: HandsOn;
  /** Whether later layers see the features beside what is handed on. */
  readonly keepsFeatures: boolean;
  /** Whether the model is a weighted sum of its layers (mdDF); otherwise the last layer alone predicts (casForest). */
  readonly additive: boolean;
}

/**
 * f_t = Σ_{l≤t} α_l h_l / Σ_{l≤t} α_l on some rows. The poster does not divide; trees ask the same questions of both,
 * and this one stays in [0, 1]. As long as all weights are zero, it is the newest layer.
 */
export class LayerSum {
  readonly mean: Matrix;
  readonly #total: number;

  private constructor(mean: Matrix, total: number) {
    this.mean = mean;
    this.#total = total;
  }

  /** The sum with a further layer of mean class vectors h; without `sum`, the layer is the first. */
  static of(sum: LayerSum | undefined, h: Matrix, alpha: number): LayerSum {
    const total = (sum ? sum.#total : 0) + alpha;
    if (!sum || total === 0) return new LayerSum(h, total);
    const share = alpha / total;
    const before = sum.mean.values;
    const own = h.values;
    const values = new Float64Array(own.length);
    for (let k = 0; k < own.length; k++) values[k] = before[k] + share * (own[k] - before[k]);
    return new LayerSum(new Matrix(h.rows, h.columns, values), total);
  }

  /** The same on some of the rows. */
  select(rows: Int32Array): LayerSum {
    return new LayerSum(this.mean.select(rows), this.#total);
  }
}

/** What goes on from a layer: of its members' class vectors, or of the sum of the layers so far. */
export function handedOn(handsOn: HandsOn, vectors: readonly Matrix[], sum: LayerSum): Matrix {
  switch (handsOn) {
    case "vectors":
      return besideEachOther(vectors);
    case "sum":
      return sum.mean;
    case "mean":
      return meanOf(vectors);
  }
}

/** Learners whose models are deep forests. */
export type DeepForestName = "cascade-forest" | "gcforest" | "mddf";

/** What a deep forest consists of. */
export interface DeepForestParts {
  readonly learner: DeepForestName;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly cascading: Cascading;
  /** At least one. */
  readonly layers: readonly Layer[];
  /** Leaves of forests have at least so many rows, unless a forest was told otherwise. */
  readonly minLeafRows: number;
  /** Scans the features before the first layer. */
  readonly scan?: Scan;
}

/** A deep forest: layers of forests, each of which sees what the ones before say. */
export class DeepForestModel implements Model<BinnedColumns>, DeepForestParts {
  readonly scoring = "probability";
  readonly learner: DeepForestName;
  readonly classes: readonly string[];
  readonly featureNames: readonly string[];
  readonly cascading: Cascading;
  readonly layers: readonly Layer[];
  readonly minLeafRows: number;
  readonly scan?: Scan;

  constructor(parts: DeepForestParts) {
    this.learner = parts.learner;
    this.classes = parts.classes;
    this.featureNames = parts.featureNames;
    this.cascading = parts.cascading;
    this.layers = parts.layers;
    this.minLeafRows = parts.minLeafRows;
    if (parts.scan) this.scan = parts.scan;
  }

  /** Σ_t α_t h_t(x) / Σ_t α_t, where h_t is the mean of the members of layer t over all folds. */
  scores(features: BinnedColumns): Matrix {
    checkColumns(features, this.featureNames);
    if (features.rows === 0) return new Matrix(0, this.classes.length);
    const base = this.scan ? scanned(this.scan, features) : features;
    const { handsOn, keepsFeatures } = this.cascading;
    let sum: LayerSum | undefined;
    let handed: Matrix | undefined;
    for (const layer of this.layers) {
      const input = handed
        ? LayerInput.later(keepsFeatures ? base : undefined, handed, layer.handed)
        : LayerInput.first(base);
      const vectors = layer.members.map((member) => memberScores(member, input));
      sum = LayerSum.of(sum, meanOf(vectors), layer.alpha);
      handed = handedOn(handsOn, vectors, sum);
    }
    if (!sum) throw new Error("A deep forest has no layers.");
    return sum.mean;
  }

  predict(features: BinnedColumns): Int32Array {
    return predictionsOf(this.scores(features));
  }

  /** Probability of the true class minus the largest probability of another one. */
  margins(sample: Sample<BinnedColumns>): Float64Array {
    return marginsOf(this.scores(sample.features), sample.labels);
  }

  /** The model as it was after its first layers. */
  after(layers: number): DeepForestModel {
    if (!(Number.isInteger(layers) && layers >= 1 && layers <= this.layers.length)) {
      throw new VouchError(
        "option/invalid",
        `The model has layers 1 to ${this.layers.length}, not ${layers}.`,
      );
    }
    const kept = this.layers.slice(0, layers);
    const last = layers - 1;
    return new DeepForestModel({
      ...this,
      layers: this.cascading.additive
        ? kept
        : kept.map((layer, t) => ({ ...layer, alpha: t === last ? 1 : 0 })),
    });
  }

  /** What each layer knows of itself: how the margin distribution moves. */
  get facts(): LayerFacts[] {
    return this.layers.map(({ alpha, loss, reweighted, outOfFoldAccuracy, margins }) => ({
      alpha,
      ...(loss && { loss, reweighted }),
      outOfFoldAccuracy,
      margins: marginStatistics(margins),
    }));
  }

  get notices(): readonly string[] {
    const { outOfFoldAccuracy, margins } = this.layers[this.layers.length - 1];
    const error = formatPercent(1 - outOfFoldAccuracy);
    return [
      `Out-of-fold error, an estimate of the error on new rows that the choice of the layers has used: ${error} of ${margins.length} training rows.`,
    ];
  }

  complexity(): Complexity {
    let trees = 0;
    let nodes = 0;
    for (const { members } of this.layers) {
      for (const member of members) {
        if (member.kind !== "forest") continue;
        trees += member.trees.trees;
        nodes += member.trees.nodes;
      }
    }
    return {
      counts: { layers: this.layers.length, trees, nodes, features: this.featureNames.length },
    };
  }

  /** Theorem 1 of Lyu, Yang and Zhou (2019). */
  certificates({ confidence }: { readonly confidence: number }): readonly Certificate[] {
    const last = this.layers[this.layers.length - 1];
    const layers = this.layers.map(({ alpha, logFamilySize = Infinity }) => ({ alpha, logFamilySize }));
    const facts = { layers, margins: last.margins, classes: this.classes.length, outOfFold: true };
    return [mddfMargin({ ...facts, confidence })];
  }

  describe(): Json {
    const { counts } = this.complexity();
    return {
      ...counts,
      members: this.layers[0].members.map(({ name }) => name),
      minLeafRows: this.minLeafRows,
      ...(this.scan && {
        scan: this.scan.grains.map(({ window, features }) => ({ ...window, features: features.length })),
      }),
      layers: describeLayers(this.facts),
    };
  }

  toState(): State {
    return deepForestState(this);
  }

  /** Reads the models of one learner behind states that `toState` gave; layers may be of learners that the lookup knows. */
  static restorer(learner: DeepForestName, lookup: LearnerLookup): (state: State) => DeepForestModel {
    return (state) => new DeepForestModel(restoreDeepForest(learner, state, lookup));
  }
}
