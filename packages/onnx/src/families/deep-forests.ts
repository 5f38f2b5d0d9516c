import { type BinnedFeature, MISSING_BIN } from "@vouch/core/internal/encode/binned-columns";
import type { FittedMember, Layer } from "@vouch/core/internal/learners/deep-forest/deep-forest-parts";
import {
  cascadeForest,
  type DeepForestModel,
  gcForest,
  mddf,
} from "@vouch/core/internal/learners/deep-forest/deep-forests";
import { binValues } from "@vouch/core/internal/learners/deep-forest/layer-input";
import { encodeRows } from "../encode-rows.js";
import { binnedOf, type Exporter, exporterOf } from "../exporter.js";
import { type BinnedTensor, binColumns, binsOfMatrix, type FeatureTensor, once } from "../features.js";
import type { Graph, Value } from "../graph.js";
import { type ColumnSource, FIRST_LEVEL_INDEX, MISSING_INDEX, UNKNOWN_INDEX } from "../raw-columns.js";
import { scannedColumns } from "./scan.js";
import { type TreeInput, walkTrees, wholeInput } from "./trees.js";

/** Creates the exporters of deep forests; `exportMember` exports members that are not forests. */
export function deepForestExporters(exportMember: Exporter): Readonly<Record<string, Exporter>> {
  const write = (graph: Graph, model: DeepForestModel, features: FeatureTensor) => ({
    scores: deepForestScores(graph, model, binnedOf(features), exportMember),
  });
  return {
    "cascade-forest": exporterOf(cascadeForest, write),
    gcforest: exporterOf(gcForest, write),
    mddf: exporterOf(mddf, write),
  };
}

function deepForestScores(
  graph: Graph,
  { cascade, layers, scan, classes }: DeepForestModel,
  given: BinnedTensor,
  exportMember: Exporter,
): Value {
  const rows = scan ? scannedColumns(graph, scan, given, classes.length) : given;
  const bins = once(() => binColumns(graph, rows.columns));
  let sum: Value | undefined;
  let memberSums: readonly Value[] = [];
  let total = 0;
  let predictions: Value | undefined;
  for (const layer of layers) {
    const input = layerInput(graph, layer, rows, bins, predictions, cascade.keepsFeatures);
    const vectors = layer.members.map((member) => memberScores(graph, member, input, exportMember));
    const mean = meanOf(graph, vectors);
    total += layer.alpha;
    const share = total === 0 ? undefined : layer.alpha / total;
    sum = shifted(graph, sum, mean, share);
    switch (cascade.passesOn) {
      case "vectors":
        predictions = graph.concat(vectors);
        break;
      case "sums": {
        const before = memberSums;
        memberSums = vectors.map((vector, k) => shifted(graph, before[k], vector, share));
        predictions = graph.concat(memberSums);
        break;
      }
      case "sum":
        predictions = sum;
        break;
      case "mean":
        predictions = mean;
    }
  }
  if (sum === undefined) throw new TypeError("A deep forest has no layers.");
  return sum;
}

/**
 * Moves a weighted mean towards the newest layer by its share of the weights, like the library; `share` is undefined
 * while all weights are zero.
 */
function shifted(graph: Graph, mean: Value | undefined, own: Value, share: number | undefined): Value {
  if (mean === undefined || share === undefined) return own;
  return graph.add(mean, graph.mul(graph.sub(own, mean), graph.double(share)));
}

/** Adds shares of the vectors in order, like the library. */
function meanOf(graph: Graph, vectors: readonly Value[]): Value {
  const count = graph.double(vectors.length);
  return vectors.map((vector) => graph.div(vector, count)).reduce((sum, share) => graph.add(sum, share));
}

/** Input of a layer: bins for trees, columns for other learners. */
interface LayerInput {
  readonly trees: () => TreeInput;
  readonly columns: ColumnSource;
}

function layerInput(
  graph: Graph,
  { passedOn: passed }: Layer,
  features: BinnedTensor,
  bins: () => Value,
  predictions: Value | undefined,
  keepsFeatures: boolean,
): LayerInput {
  const own = predictions === undefined || keepsFeatures ? features.columns : [];
  const ofLayer =
    predictions === undefined
      ? []
      : binsOfMatrix({ kind: "matrix", values: predictions, columns: passed.length }, passed).columns;
  const trees = once(() => {
    const blocks = [
      ...(own.length > 0 ? [bins()] : []),
      ...(ofLayer.length > 0 ? [binColumns(graph, ofLayer)] : []),
    ];
    return wholeInput(graph.concat(blocks), [...own, ...ofLayer]);
  });
  return { trees, columns: new LayerColumns(graph, features, bins, passed, predictions) };
}

/** Input of a layer as a table, in which a number is the middle of its bin. */
class LayerColumns implements ColumnSource {
  readonly #graph: Graph;
  readonly #features: BinnedTensor;
  readonly #bins: () => Value;
  readonly #passed: readonly BinnedFeature[];
  readonly #predictions: Value | undefined;

  constructor(
    graph: Graph,
    features: BinnedTensor,
    bins: () => Value,
    passed: readonly BinnedFeature[],
    predictions: Value | undefined,
  ) {
    this.#graph = graph;
    this.#features = features;
    this.#bins = bins;
    this.#passed = passed;
    this.#predictions = predictions;
  }

  numbers(name: string): Value {
    const graph = this.#graph;
    const feature = featureIndex(name);
    if (feature === undefined) {
      const place = this.#passed.findIndex((bin) => bin.name === name);
      if (place < 0 || this.#predictions === undefined) throw new TypeError(`There is no column "${name}".`);
      return graph.columns(this.#predictions, [place]);
    }
    const column = this.#features.columns[feature];
    const cuts = column.kind === "numeric" ? Float64Array.from(column.cuts) : new Float64Array(0);
    const values = binValues({ kind: "numeric", name, cuts });
    return graph.lookUp(graph.doubles(values), this.#binIndices(feature));
  }

  indices(name: string, levels: readonly string[]): Value {
    const feature = featureIndex(name) ?? -1;
    const column = this.#features.columns[feature];
    const own = column?.kind === "categorical" ? column.levels : [];
    const indexOf = (bin: number) => {
      if (bin >= own.length) return MISSING_INDEX;
      const place = levels.indexOf(own[bin]);
      return place < 0 ? UNKNOWN_INDEX : FIRST_LEVEL_INDEX + place;
    };
    const table = Array.from({ length: MISSING_BIN + 1 }, (_, bin) => indexOf(bin));
    return this.#graph.lookUp(this.#graph.integers(table), this.#binIndices(feature));
  }

  #binIndices(feature: number): Value {
    return binIndices(this.#graph, this.#graph.columns(this.#bins(), [feature]));
  }
}

/** Converts bins into indices; missing cells get the last one. */
function binIndices(graph: Graph, bins: Value): Value {
  const filled = graph.where(graph.isNaN(bins), graph.floats([MISSING_BIN], []), bins);
  return graph.cast(filled, "int64");
}

/** Parses the index of a feature from its name in a layer; undefined for predictions. */
function featureIndex(name: string): number | undefined {
  const [, number] = /^feature (\d+)$/.exec(name) ?? [];
  return number === undefined ? undefined : Number(number) - 1;
}

function memberScores(graph: Graph, member: FittedMember, input: LayerInput, exportMember: Exporter): Value {
  if (member.kind === "forest") {
    const sums = graph.cast(walkTrees(graph, member.trees, input.trees()), "double");
    return graph.div(sums, graph.double(member.trees.trees));
  }
  const folds = member.folds.map(
    ({ encoder, model }) =>
      exportMember(graph, model, encodeRows(graph, encoder.steps(), input.columns)).scores,
  );
  return meanOf(graph, folds);
}
