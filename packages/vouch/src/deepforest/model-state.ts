import { z } from "zod";
import type { LearnerLookup } from "../learning/learner.js";
import type { State, Tensor } from "../state/state.js";
import { StateReader } from "../state/state-reader.js";
import { binsTensorNames, binsTensors, readBins } from "./bins-state.js";
import type { Layer } from "./layer.js";
import { handedNames } from "./layer-input.js";
import {
  type MemberSource,
  memberSchema,
  memberState,
  memberTensorNames,
  restoreMember,
} from "./member-state.js";
import type { DeepForestName, DeepForestParts } from "./model.js";
import { MOST_LAYERS } from "./options.js";
import { restoreScan, scanSchema, scanState, scanTensorNames } from "./scan-state.js";

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
