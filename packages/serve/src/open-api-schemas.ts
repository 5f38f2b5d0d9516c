import type { AnswerReasons } from "@vouch/core/internal/train/record-answer";
import { exampleRecord } from "./example-record.js";
import { MOST_FEEDBACK, type ServeLimits } from "./limits.js";
import type { ModelFacts, ServedColumn } from "./model-facts.js";
import type { MonitorReport } from "./monitors/model-monitor.js";
import { type JsonSchema, reference } from "./open-api-operation.js";
import { outputMetadata } from "./output-tensors.js";
import type { ServedModel } from "./served-model.js";

/** With more categories than this, a schema only gives examples. */
const MOST_LEVELS = 100;

const text = { type: "string" };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const truth = { type: "boolean" };
/** One of several strings. Without a type, generators turn an `enum` into an untyped value. */
const choice = (values: readonly string[]): JsonSchema => ({ type: "string", enum: values });
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

/** Describes an object whose properties are required, except the optional ones. */
function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", required, properties };
}

const UNITS: Readonly<Record<AnswerReasons["unit"], true>> = {
  probability: true,
  "log-odds": true,
  margin: true,
  "decision value": true,
  "share of votes": true,
};

const reasons: Readonly<Record<keyof AnswerReasons, JsonSchema>> = {
  class: { ...text, description: "The class whose score is explained." },
  unit: { ...choice(Object.keys(UNITS)), description: "The scale of base, score and contributions." },
  base: { ...number, description: "Mean score of the background rows." },
  score: {
    ...number,
    description:
      "The model's own score of the class before calibration, which can differ from the probability: base plus the contributions of all columns.",
  },
  columns: { ...list(reference("Reason")), description: "The largest contributions first." },
};

const reason: Readonly<Record<keyof AnswerReasons["columns"][number], JsonSchema>> = {
  column: text,
  value: text,
  contribution: { ...number, description: "Positive if the column speaks for the class." },
  se: { ...number, description: "Standard error; absent if the contribution is exact." },
  words: {
    type: "array",
    description: "The words of a text that change the score most if they are taken out, up to three.",
    items: {
      type: "object",
      required: ["word", "contribution"],
      properties: { word: { type: "string" }, contribution: { type: "number" } },
    },
  },
};

const watch: Readonly<Record<keyof MonitorReport, JsonSchema>> = {
  certificate: {
    ...object({
      measure: choice(["error"]),
      bound: number,
      confidence: number,
      rows: choice(["all", "answered"]),
    }),
    type: ["object", "null"],
  },
  feedback: object({ rows: count, errors: count }),
  evidence: object({ logE: number, largestLogE: number, threshold: number, falseAlarm: number }),
  status: choice(["no certificate", "waiting", "holds so far", "doubtful"]),
  columns: list(object({ name: text, drift: number, p: number, drifted: truth })),
  sentence: text,
};

const facts: Readonly<Record<keyof ModelFacts, JsonSchema>> = {
  learner: text,
  target: text,
  classes: list(text),
  columns: list(
    object({ name: text, kind: choice(["numeric", "categorical", "date", "text"]), levels: list(text) }, [
      "levels",
    ]),
  ),
  abstains: truth,
  gives_sets: truth,
  verdict: object({ better: choice(["yes", "unclear", "no"]), sentence: text, warnings: list(text) }),
  certificate: object({ name: text, measure: text, value: number, confidence: number, statement: text }),
  trained: object({ data: text, rows: count, vouch: text }),
};
const optionalFacts = ["verdict", "certificate"];

const tensor = { name: text, datatype: text, shape: list({ type: "integer" }) };
const binarySize = object({ binary_data_size: count });
const sentTensor = object({ ...tensor, data: { type: "array" }, parameters: binarySize }, [
  "data",
  "parameters",
]);

/** Schemas that all models share. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: object({ error: text, hint: text }, ["hint"]),
  Reason: object(reason, ["se", "words"]),
  Reasons: object(reasons),
  Watch: object(watch),
  Live: object({ live: truth }),
  Ready: object({ ready: truth, live: truth }),
  Server: object({ name: text, version: text, extensions: list(text) }),
  ListedModel: object({ name: text, version: text, ready: truth, fault: text, ...facts }, [
    "fault",
    ...Object.keys(facts),
  ]),
  ModelMetadata: object({
    name: text,
    versions: list(text),
    platform: text,
    inputs: list(object(tensor)),
    outputs: list(object(tensor)),
    parameters: object({ version: text, ...facts }, optionalFacts),
  }),
  ModelReady: object({ name: text, ready: truth }),
  InferRequest: object(
    {
      id: text,
      parameters: object({ binary_data_output: truth }, ["binary_data_output"]),
      inputs: { ...list(sentTensor), minItems: 1 },
      outputs: list(
        object({ name: text, parameters: object({ binary_data: truth }, ["binary_data"]) }, ["parameters"]),
      ),
    },
    ["id", "parameters", "outputs"],
  ),
  InferAnswer: object({ model_name: text, model_version: text, id: text, outputs: list(sentTensor) }, ["id"]),
};

/** Schemas of one model by their last names; they refer to each other by `key`. */
export function modelSchemas(
  model: ServedModel,
  key: string,
  { maxRows }: ServeLimits,
): Readonly<Record<"record" | "records" | "answer" | "answers" | "feedback", JsonSchema>> {
  const { columns, classes, abstains, gives_sets } = model.facts;
  const identity = { model: text, version: text };
  const probable = outputMetadata(model.classifier).some((output) => output.name === "probabilities");
  const perClass = (schema: JsonSchema) => object(Object.fromEntries(classes.map((each) => [each, schema])));
  const label = object({
    predicted: { type: ["string", "null"], enum: [...classes, null] },
    actual: choice(classes),
  });
  const answer = {
    prediction: abstains ? { type: ["string", "null"], enum: [...classes, null] } : choice(classes),
    ...(abstains && { abstained: truth }),
    ...(gives_sets && { set: list(choice(classes)) }),
    ...(probable
      ? { probabilities: perClass({ ...number, minimum: 0, maximum: 1 }) }
      : { scores: perClass({ type: ["number", "null"] }) }),
    reasons: {
      ...reference("Reasons"),
      description: "The columns that contribute most; present with ?reasons=N.",
    },
    ...identity,
    notices: list(text),
  };
  const several = { ...identity, predictions: list(reference(`${key}.answer`)), notices: list(text) };
  return {
    record: {
      ...object(Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)]))),
      examples: [exampleRecord(model.classifier)],
    },
    records: {
      oneOf: [
        reference(`${key}.record`),
        { ...list(reference(`${key}.record`)), minItems: 1, maxItems: maxRows },
      ],
    },
    answer: object(answer, ["reasons", "model", "version", "notices"]),
    answers: { oneOf: [reference(`${key}.answer`), object(several, ["notices"])] },
    feedback: { oneOf: [label, { ...list(label), maxItems: MOST_FEEDBACK }] },
  };
}

function columnSchema({ kind, levels = [] }: ServedColumn): JsonSchema {
  if (kind === "numeric") return { type: ["number", "null"] };
  if (kind === "date") return { type: ["string", "null"], description: "A date." };
  if (kind === "text") return { type: ["string", "null"] };
  return levels.length <= MOST_LEVELS
    ? {
        type: ["string", "number", "boolean", "null"],
        examples: levels,
        description: `One of ${levels.length} categories.`,
      }
    : { type: ["string", "number", "boolean", "null"], examples: levels.slice(0, MOST_LEVELS) };
}
