import { VERSION } from "vouch/train";
import { exampleRecord } from "./example-record.js";
import type { ServeLimits } from "./limits.js";
import type { ServedColumn } from "./model-facts.js";
import { outputMetadata } from "./output-tensors.js";
import type { ServedModel } from "./served-model.js";

/** With more categories than this, a schema only gives examples. */
const MOST_LEVELS = 100;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Describes the addresses of all models as OpenAPI 3.1: one request and one answer per model, made from its columns and classes. */
export function openApi(models: readonly ServedModel[], limits: ServeLimits, secured: boolean): object {
  const names = schemaNames(models);
  const described = models.map((model, i) => ({ model, schema: names[i] }));
  const paths = described.flatMap(({ model, schema }) => Object.entries(pathsOf(model, schema)));
  return {
    openapi: "3.1.0",
    info: {
      title: "vouch serve",
      version: VERSION,
      description: "Predictions of classifiers that vouch for themselves.",
    },
    ...(secured && { security: [{ token: [] }] }),
    paths: Object.fromEntries(paths),
    components: {
      ...(secured && { securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
      schemas: {
        Error: {
          type: "object",
          required: ["error"],
          properties: { error: { type: "string" }, hint: { type: "string" } },
        },
        ...Object.fromEntries(described.flatMap(({ model, schema }) => schemasOf(model, schema, limits))),
      },
    },
  };
}

/** Names the schemas of models, with a number where models would share a name: OpenAPI allows few characters. */
function schemaNames(models: readonly ServedModel[]): string[] {
  const taken = new Set<string>();
  return models.map(({ name, version }) => {
    const plain = `${name}-${version}`.replaceAll(/[^\w.-]/g, "_");
    let unique = plain;
    for (let k = 2; taken.has(unique); k++) unique = `${plain}-${k}`;
    taken.add(unique);
    return unique;
  });
}

function schemasOf(model: ServedModel, name: string, { maxRows }: ServeLimits): [string, JsonSchema][] {
  const { columns, classes, abstains, gives_sets } = model.facts;
  const identity = { model: { type: "string" }, version: { type: "string" } };
  const notices = { notices: { type: "array", items: { type: "string" } } };
  const probable = outputMetadata(model.classifier).some((output) => output.name === "probabilities");
  const perClass = (schema: JsonSchema) => ({
    type: "object",
    properties: Object.fromEntries(classes.map((each) => [each, schema])),
  });
  const record = {
    type: "object",
    required: columns.map((column) => column.name),
    properties: Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])),
    example: exampleRecord(model.classifier),
  };
  const answer = {
    type: "object",
    required: ["prediction"],
    properties: {
      prediction: {
        type: abstains ? ["string", "null"] : "string",
        enum: abstains ? [...classes, null] : classes,
      },
      ...(abstains && { abstained: { type: "boolean" } }),
      ...(gives_sets && { set: { type: "array", items: { type: "string", enum: classes } } }),
      ...(probable
        ? { probabilities: perClass({ type: "number", minimum: 0, maximum: 1 }) }
        : { scores: perClass({ type: ["number", "null"] }) }),
      reasons: { type: "object", description: "The columns that contribute most, with ?reasons=N." },
      ...identity,
      ...notices,
    },
  };
  const record$ = { $ref: `#/components/schemas/${name}.record` };
  const answer$ = { $ref: `#/components/schemas/${name}.answer` };
  return [
    [`${name}.record`, record],
    [
      `${name}.records`,
      { oneOf: [record$, { type: "array", minItems: 1, maxItems: maxRows, items: record$ }] },
    ],
    [`${name}.answer`, answer],
    [
      `${name}.answers`,
      {
        oneOf: [
          answer$,
          {
            type: "object",
            required: ["predictions"],
            properties: { ...identity, predictions: { type: "array", items: answer$ }, ...notices },
          },
        ],
      },
    ],
  ];
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

function pathsOf(model: ServedModel, schema: string): Readonly<Record<string, JsonSchema>> {
  const { name, version, facts } = model;
  const base = `/models/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const failure = { $ref: "#/components/schemas/Error" };
  const answers = (content: JsonSchema) => ({
    "200": { description: "The answer.", content: { "application/json": { schema: content } } },
    default: { description: "What is wrong.", content: { "application/json": { schema: failure } } },
  });
  const feedback = {
    type: "object",
    required: ["predicted", "actual"],
    properties: {
      predicted: { type: ["string", "null"], enum: [...facts.classes, null] },
      actual: { type: "string", enum: facts.classes },
    },
  };
  const words = [facts.verdict?.sentence, facts.certificate?.statement].filter((each) => each !== undefined);
  return {
    [`${base}/predict`]: {
      post: {
        summary: `Predict "${facts.target}" with ${name}, version ${version}`,
        description: words.join(" "),
        parameters: [
          {
            name: "reasons",
            in: "query",
            description: "Number of columns that explain each answer.",
            schema: { type: "integer", minimum: 1 },
          },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}.records` } } },
        },
        responses: answers({ $ref: `#/components/schemas/${schema}.answers` }),
      },
    },
    [`${base}/feedback`]: {
      post: {
        summary: `Tell the true classes of predicted rows of ${name}, version ${version}`,
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { oneOf: [feedback, { type: "array", items: feedback }] } },
          },
        },
        responses: answers({ type: "object" }),
      },
    },
    [`${base}/watch`]: {
      get: {
        summary: `Whether the certificate of ${name}, version ${version} still holds`,
        responses: answers({ type: "object" }),
      },
    },
  };
}
