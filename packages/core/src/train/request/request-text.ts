import type * as z from "zod";
import { changedOptions } from "../../learners/changed-options.js";
import { ENSEMBLE } from "../../learners/ensemble/ensemble-options.js";
import { settingText } from "../../learners/settings.js";
import { listArgument, shellQuoted } from "../../runtime/text/shell.js";
import { sharesAmongCandidates } from "../../theory/training-certificate.js";
import type { Training } from "../training.js";
import { defaultOf, fieldsIn, type NamedField } from "./field.js";
import { type TrainRequest, trainRequest } from "./request.js";

/** Lists the fields that help to determine a model, with their values if they differ from the defaults. */
export function modelFields(
  request: Readonly<Record<string, unknown>>,
  schema: z.ZodObject = trainRequest,
): [field: NamedField, value: unknown][] {
  return fieldsIn(schema).flatMap((field): [NamedField, unknown][] => {
    const value = request[field.name];
    const isWritten = field.inModel === "always" || (field.inModel && value !== defaultOf(field));
    return isWritten && value !== undefined ? [[field, value]] : [];
  });
}

/** Formats the options of a request that help to determine a model. */
export function requestArguments(
  request: Readonly<Record<string, unknown>>,
  schema: z.ZodObject = trainRequest,
): string[] {
  return modelFields(request, schema).flatMap(([field, value]) => argumentsOf(field, value));
}

function argumentsOf({ option, flags, negatedHelp, form }: NamedField, value: unknown): string[] {
  if (value === true) return [option];
  if (value === false) {
    const negated = option.replace("--", "--no-");
    return flags === negated || negatedHelp !== undefined ? [negated] : [];
  }
  const texts = Array.isArray(value)
    ? value.map(String)
    : typeof value === "object" && value !== null
      ? settingTexts(value)
      : [String(value)];
  if (form === "list") return [`${option} ${listArgument(texts)}`];
  return texts.map((text) => `${option} ${shellQuoted(text)}`);
}

/** Formats `{ Yes: { No: 5 } }` as `Yes:No=5`, and `{ Yes: 5 }` as `Yes=5`. */
function settingTexts(values: object, start = ""): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? settingTexts(value, `${start}${name}:`)
      : [`${start}${name}=${settingText(value)}`],
  );
}

/** Describes a model by a request and its result, without a search for the learner. */
export function modelRequest(request: TrainRequest, { classifier, choice }: Training): TrainRequest {
  const { learner, options } = classifier.card;
  const shares = sharesAmongCandidates(classifier.card.choice);
  return {
    ...request,
    learner,
    set: changedOptions({ name: learner, options }).map(([name, value]) => `${name}=${value}`),
    like: undefined,
    rows: choice?.rows ?? request.rows,
    chosenAmong: shares > 1 ? shares : undefined,
  };
}

/** The request of a finished training. */
export interface FinishedRequest {
  /** The argument of `vouch train`. */
  readonly data: string;
  readonly request: TrainRequest;
  /** The model file. */
  readonly model: string;
}

/** Formats the command that trains the same model again, with the changed options of its learner. */
export function reproductionCommand(
  { data, request, model }: FinishedRequest,
  training: Training,
  schema: z.ZodObject = trainRequest,
): string {
  const all: Readonly<Record<string, unknown>> = modelRequest(request, training);
  // The members of an ensemble with all their options would fill a screen; the model file contains them.
  const isLong = all.learner === ENSEMBLE;
  const { learner: _learner, set: _set, seed: _seed, chosenAmong: _chosen, ...others } = all;
  const written = requestArguments(isLong ? { ...others, like: model } : all, schema);
  // A name such as -x.csv would be parsed as a flag, unless it comes after all flags and a double dash.
  const isDashed = data.startsWith("-") && data !== "-";
  const argument = shellQuoted(data);
  return ["vouch train", ...(isDashed ? [...written, "--", argument] : [argument, ...written])].join(" ");
}
