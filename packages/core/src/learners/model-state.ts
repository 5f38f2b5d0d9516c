import * as z from "zod";
import {
  checked,
  type Fields,
  json,
  object,
  optional,
  type Part,
  readParts,
  writeParts,
} from "../runtime/codec/parts.js";
import { nonNegativeInteger, positiveInteger } from "../runtime/codec/schema-numbers.js";
import { checkedJson, corrupt, type Json, type State } from "../runtime/codec/state.js";
import { float64 } from "../runtime/codec/tensor-parts.js";
import type { VouchError } from "../runtime/vouch-error.js";
import { MARGIN_QUANTILES } from "../theory/margins/margin-quantiles.js";
import type { Fitted, ModelCore } from "./learner-definition.js";
import type { TrainingSummary } from "./model.js";

const training: Part<TrainingSummary | undefined> = optional(
  checked(
    object({
      rows: positiveInteger,
      errors: nonNegativeInteger,
      margins: float64([MARGIN_QUANTILES], { min: -1, max: 1 }),
    }),
    ({ rows, errors }) => (errors > rows ? `${errors} errors on ${rows} rows` : undefined),
  ),
);

/** The parts that the frame keeps for every model. */
const coreParts = {
  classes: json(z.array(z.string()).min(2).readonly()),
  featureNames: json(z.array(z.string()).readonly()),
  training,
};

/** Returns the part of a model that all learners share. */
export function coreOf({ classes, featureNames, training }: ModelCore): ModelCore {
  return { classes, featureNames, ...(training && { training }) };
}

/** Tensors of the core have this prefix; all others belong to the learner's own parts. */
const CORE_TENSORS = "training.";

/** Writes a model as JSON and tensors. */
export function modelState<P extends Fields>(parts: P, fitted: Fitted<P>): State {
  const own = writeParts(coreParts, coreOf(fitted), {});
  const others = writeParts(parts, fitted, sizesOf(fitted));
  return { json: { core: own.json, parts: others.json }, tensors: { ...own.tensors, ...others.tensors } };
}

/** Reads a model that `modelState` wrote; the name of its learner is for errors. */
export function fittedFrom<P extends Fields>(name: string, parts: P, state: State): Fitted<P> {
  const label = `${name} model`;
  const { core: coreJson, parts: partsJson } = readTwo(label, state.json);
  const split = (isCore: boolean) =>
    Object.fromEntries(
      Object.entries(state.tensors).filter(([key]) => key.startsWith(CORE_TENSORS) === isCore),
    );
  const own = readParts(label, coreParts, { json: coreJson, tensors: split(true) }, {});
  const others = readParts(label, parts, { json: partsJson, tensors: split(false) }, sizesOf(own));
  return { ...own, ...others };
}

const twoParts = z.strictObject({ core: z.json(), parts: z.json() });

function readTwo(label: string, value: Json): z.output<typeof twoParts> {
  return checkedJson(label, value, twoParts);
}

function sizesOf({ classes, featureNames }: ModelCore): Record<string, number> {
  return { classes: classes.length, features: featureNames.length };
}

/** Makes the error of a model file whose parts do not fit together. */
export function damagedModel(name: string, fault: string): VouchError {
  return corrupt(`The ${name} model is damaged: ${fault}.`);
}
