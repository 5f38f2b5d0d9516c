import { VERSION } from "@vouch/core/internal/runtime/version";
import type { ServeLimits } from "./limits.js";
import { stablePath, versionPath } from "./model-paths.js";
import type { ModelRegistry } from "./model-registry.js";
import { type JsonSchema, operation, reference } from "./open-api-operation.js";
import { modelSchemas, sharedSchemas } from "./open-api-schemas.js";
import { serverPaths } from "./open-api-server-paths.js";
import type { ServedModel } from "./served-model.js";

/** One path of a model: the stable path of its latest version, or the path of a fixed version. */
interface ModelAddress {
  readonly model: ServedModel;
  readonly path: string;
  /** Names schemas and operations in the document. */
  readonly key: string;
  readonly title: string;
}

/**
 * Describes the server's paths as OpenAPI 3.1. The request and answer of each model follow from its columns and
 * classes. They are described at a path without a version, whose operations and schemas keep their names when a new
 * version arrives, and at the path of each version.
 */
export function openApi(
  registry: Pick<ModelRegistry, "models" | "find">,
  limits: ServeLimits,
  secured: boolean,
): object {
  const addresses = modelAddresses(registry);
  const keys = new Map(addresses.map(({ path, key }) => [path, key]));
  const schemas = addresses.flatMap(({ model, path, key }) => {
    const fixed = keys.get(versionPath(model)) ?? key;
    const own = modelSchemas(model, fixed, limits);
    // The schemas of the stable path refer to the latest version.
    return path === versionPath(model)
      ? Object.entries(own).map(([part, schema]) => [`${key}.${part}`, schema])
      : Object.keys(own).map((part) => [`${key}.${part}`, reference(`${fixed}.${part}`)]);
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "vouch serve",
      version: VERSION,
      description: "Predictions of classifiers that vouch for themselves.",
    },
    // Relative to this document, so that it also holds behind a TLS proxy.
    servers: [{ url: "/", description: "The server that sent this document" }],
    ...(secured && { security: [{ token: [] }] }),
    paths: {
      ...serverPaths(secured),
      ...Object.fromEntries(addresses.flatMap((address) => Object.entries(modelPaths(address)))),
    },
    components: {
      ...(secured && { securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
      schemas: { ...sharedSchemas, ...Object.fromEntries(schemas) },
    },
  };
}

/** Lists the paths of all models, stable ones first, so that no version of another model can change their keys. */
function modelAddresses(registry: Pick<ModelRegistry, "models" | "find">): ModelAddress[] {
  const models = registry.models();
  const latest = models.filter((model) => registry.find(model.name) === model);
  const taken = new Set<string>();
  return [
    ...latest.map((model) => ({
      model,
      path: stablePath(model),
      key: uniqueKey(model.name, taken),
      title: `the latest version of ${model.name}`,
    })),
    ...models.map((model) => ({
      model,
      path: versionPath(model),
      key: uniqueKey(`${model.name}_version_${model.version}`, taken),
      title: `${model.name}, version ${model.version}`,
    })),
  ];
}

/**
 * Makes a key of letters, digits and underscores, numbered if it is taken; generated programs use keys as identifiers.
 */
function uniqueKey(text: string, taken: Set<string>): string {
  const plain = text.replaceAll(/\W/g, "_");
  let unique = plain;
  for (let k = 2; taken.has(unique); k++) unique = `${plain}_${k}`;
  taken.add(unique);
  return unique;
}

function modelPaths({ model, path, key, title }: ModelAddress): Readonly<Record<string, JsonSchema>> {
  const { facts } = model;
  const words = [facts.verdict?.sentence, facts.certificate?.statement].filter((each) => each !== undefined);
  return {
    [`${path}/predict`]: {
      post: operation(`predict_${key}`, `Predict "${facts.target}" with ${title}`, {
        tags: [model.name],
        description: words.join(" "),
        parameters: [
          {
            name: "reasons",
            in: "query",
            description: "Number of columns that explain each answer.",
            schema: { type: "integer", minimum: 1, maximum: 9999 },
          },
        ],
        body: reference(`${key}.records`),
        answer: reference(`${key}.answers`),
      }),
    },
    [`${path}/feedback`]: {
      post: operation(`feedback_${key}`, `Report the true classes of rows that ${title} predicted`, {
        tags: [model.name],
        body: reference(`${key}.feedback`),
        answer: reference("Watch"),
      }),
    },
    [`${path}/watch`]: {
      get: operation(`watch_${key}`, `Whether the certificate of ${title} still holds`, {
        tags: [model.name],
        answer: reference("Watch"),
      }),
    },
  };
}
