import { z } from "zod";
import { type BinnedFeature, MISSING_BIN } from "../../encode/binned-columns.js";
import { restoreEncoder } from "../../encode/fit-encoder.js";
import { nestedState, type State, StateReader, type Tensor, withPrefix } from "../../runtime/state.js";
import type { LearnerLookup } from "../legacy.js";
import { readTrees, treeTensorNames, treeTensors } from "../tree/tree-state.js";
import type { DeepForestName, DeepForestParts } from "./deep-forest-model.js";
import { MOST_LAYERS } from "./deep-forest-options.js";
import { handedNames, type Layer } from "./layer-input.js";
import type { EncodedModel, FittedMember } from "./members.js";
import { type Scan, type ScanGrain, scanNames } from "./scan.js";
import { BINS, windowCorners, windowOffsets } from "./windows.js";

const NAMES = ["cuts", "cutCounts"] as const;

/** The cuts of numeric columns as tensors. */
function binsTensors(features: readonly BinnedFeature[], prefix: string): Record<string, Tensor> {
  const cuts = features.map((feature) => (feature.kind === "numeric" ? feature.cuts : new Float64Array(0)));
  const joined = Float64Array.from(cuts.flatMap((own) => [...own]));
  return {
    [`${prefix}cuts`]: { shape: [joined.length], data: joined },
    [`${prefix}cutCounts`]: { shape: [cuts.length], data: Int32Array.from(cuts, ({ length }) => length) },
  };
}

/** The names of these tensors. */
function binsTensorNames(prefix: string): string[] {
  return NAMES.map((name) => prefix + name);
}

/** The numeric columns behind these tensors; there are as many as names for them. */
function readBins(reader: StateReader, prefix: string, names: readonly string[]): BinnedFeature[] {
  const counts = reader.integers(`${prefix}cutCounts`, [names.length], 0, MISSING_BIN - 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const cuts = reader.numbers(`${prefix}cuts`, [total]);
  let at = 0;
  return names.map((name, j): BinnedFeature => {
    const own = cuts.slice(at, at + counts[j]);
    at += counts[j];
    if (own.some((cut, k) => k > 0 && cut <= own[k - 1])) {
      throw reader.corrupt(`the cuts of ${prefix}${name} do not ascend`);
    }
    return { kind: "numeric", name, cuts: own };
  });
}

/** The structured part of a member. */
const memberSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("forest"), name: z.enum(["forest", "random-trees"]) }),
  z.strictObject({
    kind: z.literal("learner"),
    name: z.string(),
    folds: z.array(z.strictObject({ encoder: z.json(), model: z.json() })).min(1),
  }),
]);

/** A member as a model file holds it; its tensors have the prefix. */
function memberState(member: FittedMember, prefix: string): State {
  if (member.kind === "forest") {
    return { json: { kind: "forest", name: member.name }, tensors: treeTensors(member.trees, prefix) };
  }
  const folds = member.folds.map((fold, f) => foldState(fold, `${prefix}fold${f + 1}.`));
  return {
    json: { kind: "learner", name: member.name, folds: folds.map(({ json }) => json) },
    tensors: Object.assign({}, ...folds.map(({ tensors }) => tensors)),
  };
}

function foldState({ encoder, model }: EncodedModel, prefix: string): State {
  const [ofEncoder, ofModel] = [encoder.toState(), model.toState()];
  return {
    json: { encoder: ofEncoder.json, model: ofModel.json },
    tensors: {
      ...withPrefix(ofEncoder.tensors, `${prefix}encoder.`),
      ...withPrefix(ofModel.tensors, `${prefix}model.`),
    },
  };
}

/** Where a member is read from. */
interface MemberSource {
  readonly reader: StateReader;
  readonly tensors: State["tensors"];
  readonly prefix: string;
  readonly classes: readonly string[];
  /** How many columns its layer sees. */
  readonly columns: number;
  readonly lookup: LearnerLookup;
}

/** The member behind what `memberState` gave. */
function restoreMember(json: z.output<typeof memberSchema>, source: MemberSource): FittedMember {
  const { reader, prefix, classes, columns } = source;
  if (json.kind === "forest") {
    const trees = readTrees(reader, { classes: classes.length, columns }, prefix);
    return { kind: "forest", name: json.name, trees };
  }
  const definition = source.lookup(json.name);
  const folds = json.folds.map((fold, f): EncodedModel => {
    const own = `${prefix}fold${f + 1}.`;
    const encoder = restoreEncoder(nestedState(source.tensors, `${own}encoder.`, fold.encoder));
    const model = definition.restore(nestedState(source.tensors, `${own}model.`, fold.model));
    if (model.scoring !== "probability" || model.classes.length !== classes.length) {
      throw reader.corrupt(`a layer has a ${json.name} that does not fit`);
    }
    return { encoder, model };
  });
  return { kind: "learner", name: json.name, folds };
}

/** The names of the tensors that a member may have. */
function memberTensorNames(json: z.output<typeof memberSchema>, source: MemberSource): string[] {
  if (json.kind === "forest") return treeTensorNames(source.prefix);
  // Encoders and models refuse tensors of theirs that they do not know.
  const parts = json.folds.flatMap((_, f) =>
    ["encoder.", "model."].map((part) => `${source.prefix}fold${f + 1}.${part}`),
  );
  return Object.keys(source.tensors).filter((name) => parts.some((part) => name.startsWith(part)));
}

const size = z.int().min(1).max(1_000_000);

/** The structured part of a scan. */
const scanSchema = z.strictObject({
  shape: z.strictObject({ width: size, height: size, channels: size }),
  grains: z
    .array(
      z.strictObject({
        window: z.strictObject({ width: size, height: size, stride: size }),
        forests: z.int().min(1).max(100),
      }),
    )
    .min(1)
    .max(100),
});

const grainPrefix = (grain: number) => `scan.window${grain + 1}.`;
const forestPrefix = (grain: number, forest: number) => `${grainPrefix(grain)}forest${forest + 1}.`;

/** A scan as a model file holds it. */
function scanState({ shape, bins, grains }: Scan): State {
  const tensors = grains.flatMap(({ forests, features }, g) => [
    binsTensors(features, grainPrefix(g)),
    ...forests.map((trees, f) => treeTensors(trees, forestPrefix(g, f))),
  ]);
  return {
    json: {
      shape: { ...shape },
      grains: grains.map(({ window, forests }) => ({ window: { ...window }, forests: forests.length })),
    },
    tensors: Object.assign(
      { "scan.bins": { shape: [bins.length], data: Int32Array.from(bins) } },
      ...tensors,
    ),
  };
}

/** The names of the tensors of a scan. */
function scanTensorNames({ grains }: z.output<typeof scanSchema>): string[] {
  return [
    "scan.bins",
    ...grains.flatMap(({ forests }, g) => [
      ...binsTensorNames(grainPrefix(g)),
      ...Array.from({ length: forests }, (_, f) => treeTensorNames(forestPrefix(g, f))).flat(),
    ]),
  ];
}

/** The scan behind what `scanState` gave. */
function restoreScan(
  { shape, grains }: z.output<typeof scanSchema>,
  reader: StateReader,
  { classes, columns }: { readonly classes: number; readonly columns: number },
): Scan {
  if (shape.width * shape.height * shape.channels !== columns) {
    throw reader.corrupt("its images do not have as many pixels as there are features");
  }
  const bins = Uint8Array.from(reader.integers("scan.bins", [columns * BINS], 0, MISSING_BIN));
  const restored = grains.map(({ window, forests }, g): ScanGrain => {
    if (window.width > shape.width || window.height > shape.height) {
      throw reader.corrupt("a window is larger than the image");
    }
    const places = windowCorners(shape, window).length;
    const pixels = windowOffsets(shape, window).length;
    const trees = Array.from({ length: forests }, (_, f) =>
      readTrees(reader, { classes, columns: pixels }, forestPrefix(g, f)),
    );
    const names = scanNames(g, places * forests * classes);
    return { window, forests: trees, features: readBins(reader, grainPrefix(g), names) };
  });
  return { shape, bins, grains: restored };
}

/** More members than a layer ever has. */
const MOST_MEMBERS = 1000;

/** Weights grow by a factor of 1,024 at most from layer to layer. */
const LARGEST_ALPHA = 1024 ** MOST_LAYERS;

const layerSchema = z.strictObject({
  members: z.array(memberSchema).min(1).max(MOST_MEMBERS),
  alpha: z.number().min(0).max(LARGEST_ALPHA),
  loss: z.strictObject({ r: z.number().gt(0).lt(1), mu: z.number().gt(0) }).optional(),
  reweighted: z.boolean(),
  outOfFoldAccuracy: z.number().min(0).max(1),
  logFamilySize: z.number().min(0).optional(),
});

const structure = z.strictObject({
  classes: z.array(z.string()).min(2),
  featureNames: z.array(z.string()).min(1),
  cascading: z.strictObject({
    handsOn: z.enum(["vectors", "sum", "mean"]),
    keepsFeatures: z.boolean(),
    additive: z.boolean(),
  }),
  minLeafRows: z.int().min(1),
  scan: scanSchema.optional(),
  layers: z.array(layerSchema).min(1).max(MOST_LAYERS),
});

type Structure = z.output<typeof structure>;

const prefixOf = (layer: number) => `layer${layer + 1}.`;
const memberPrefix = (layer: number, member: number) => `${prefixOf(layer)}member${member + 1}.`;

/** A deep forest as a model file holds it. */
export function deepForestState(model: DeepForestParts): State {
  const { classes, featureNames, cascading, minLeafRows, scan } = model;
  const ofScan = scan && scanState(scan);
  const layers = model.layers.map(layerState);
  return {
    json: {
      classes,
      featureNames,
      cascading: { ...cascading },
      minLeafRows,
      ...(ofScan && { scan: ofScan.json }),
      layers: layers.map(({ json }) => json),
    },
    tensors: Object.assign({}, ofScan?.tensors, ...layers.map(({ tensors }) => tensors)),
  };
}

function layerState(layer: Layer, t: number): State {
  const { alpha, loss, reweighted, outOfFoldAccuracy, logFamilySize, margins } = layer;
  const members = layer.members.map((member, m) => memberState(member, memberPrefix(t, m)));
  const own: Record<string, Tensor> = {
    [`${prefixOf(t)}margins`]: { shape: [margins.length], data: margins },
    ...(t > 0 && binsTensors(layer.handed, prefixOf(t))),
  };
  return {
    json: {
      members: members.map(({ json }) => json),
      alpha,
      ...(loss && { loss: { ...loss } }),
      reweighted,
      outOfFoldAccuracy,
      ...(logFamilySize !== undefined && { logFamilySize }),
    },
    tensors: Object.assign(own, ...members.map(({ tensors }) => tensors)),
  };
}

/** The parts behind a state that `deepForestState` gave. */
export function restoreDeepForest(
  learner: DeepForestName,
  state: State,
  lookup: LearnerLookup,
): DeepForestParts {
  const reader = new StateReader(`${learner} model`, state);
  const { layers, scan: scanJson, ...json } = reader.json(structure);
  const columns = json.featureNames.length;
  const scan = scanJson && restoreScan(scanJson, reader, { classes: json.classes.length, columns });
  const base = scan ? scan.grains.reduce((sum, { features }) => sum + features.length, 0) : columns;
  const names = scanJson ? scanTensorNames(scanJson) : [];
  const source = { reader, tensors: state.tensors, classes: json.classes, lookup };
  const restored = layers.map((_, t) => restoreLayer(source, { ...json, layers }, t, base, names));
  if (!restored.some(({ alpha }) => alpha > 0)) throw reader.corrupt("no layer has a weight");
  reader.only(...names);
  return { learner, ...json, layers: restored, ...(scan && { scan }) };
}

/** Restores layer t; adds the names of its tensors to those that are known. */
function restoreLayer(
  source: Omit<MemberSource, "prefix" | "columns">,
  { layers, cascading }: Pick<Structure, "layers" | "cascading">,
  t: number,
  base: number,
  names: string[],
): Layer {
  const { reader, classes } = source;
  const prefix = prefixOf(t);
  const { members, ...facts } = layers[t];
  const width =
    t === 0 ? 0 : (cascading.handsOn === "vectors" ? layers[t - 1].members.length : 1) * classes.length;
  const columns = width + (t === 0 || cascading.keepsFeatures ? base : 0);
  const handed = t === 0 ? [] : readBins(reader, prefix, handedNames(width));
  const rows = reader.length(`${prefix}margins`);
  if (rows === 0) throw reader.corrupt(`layer ${t + 1} has no margins`);
  const margins = reader.numbers(`${prefix}margins`, [rows], -1, 1);
  const sources = members.map((_, m) => ({ ...source, prefix: memberPrefix(t, m), columns }));
  names.push(`${prefix}margins`, ...(t > 0 ? binsTensorNames(prefix) : []));
  members.forEach((member, m) => {
    names.push(...memberTensorNames(member, sources[m]));
  });
  return {
    ...facts,
    handed,
    margins,
    members: members.map((member, m) => restoreMember(member, sources[m])),
  };
}
