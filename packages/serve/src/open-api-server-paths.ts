import { type JsonSchema, jsonContent, operation, reference } from "./open-api-operation.js";

/** Describes the paths that do not depend on models: the server, and the Open Inference Protocol. */
export function serverPaths(secured: boolean): Readonly<Record<string, JsonSchema>> {
  const server = { tags: ["server"] };
  const health = { ...server, open: secured };
  return {
    "/openapi.json": {
      get: operation("openapi", "This document", { ...server, answer: { type: "object" } }),
    },
    "/metrics": {
      get: operation("metrics", "Metrics for Prometheus", {
        ...server,
        content: { "text/plain": { schema: { type: "string" } } },
      }),
    },
    "/models": {
      get: operation("models", "All models", {
        ...server,
        answer: {
          type: "object",
          required: ["models"],
          properties: { models: { type: "array", items: reference("ListedModel") } },
        },
      }),
    },
    "/v2": { get: operation("server_metadata", "The server", { ...server, answer: reference("Server") }) },
    "/v2/health/live": {
      get: operation("server_live", "Whether the server runs", { ...health, answer: reference("Live") }),
    },
    "/v2/health/ready": {
      get: operation("server_ready", "Whether all models are loaded", {
        ...health,
        answer: reference("Ready"),
        responses: notReady(reference("Ready")),
      }),
    },
    ...protocolPaths("", []),
    ...protocolPaths("/versions/{version}", ["version"]),
  };
}

/** Describes the paths of any model, for its latest version or for a given one. */
function protocolPaths(version: string, more: readonly string[]): Readonly<Record<string, JsonSchema>> {
  const suffix = version === "" ? "" : "_version";
  const parameters = ["name", ...more].map((name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const path = `/v2/models/{name}${version}`;
  const protocol = { tags: ["Open Inference Protocol"], parameters };
  return {
    [`/models/{name}${version}`]: {
      get: operation(`model${suffix}`, "Facts of a model", {
        tags: ["server"],
        description: "A request that accepts text/html gets a page instead.",
        parameters,
        answer: reference("ModelMetadata"),
      }),
    },
    [path]: {
      get: operation(`model_metadata${suffix}`, "Inputs, outputs and facts of a model", {
        ...protocol,
        answer: reference("ModelMetadata"),
      }),
    },
    [`${path}/ready`]: {
      get: operation(`model_ready${suffix}`, "Whether a model is loaded", {
        ...protocol,
        answer: reference("ModelReady"),
        responses: notReady(reference("ModelReady")),
      }),
    },
    [`${path}/infer`]: {
      post: operation(`infer${suffix}`, "Predictions for tensors", {
        ...protocol,
        description:
          "Send one tensor per column of the model. Tensors may also be binary, with the header Inference-Header-Content-Length; the answer is application/octet-stream if the request asks for binary outputs.",
        body: reference("InferRequest"),
        answer: reference("InferAnswer"),
      }),
    },
  };
}

function notReady(schema: JsonSchema): JsonSchema {
  return { "503": { description: "Not ready.", content: jsonContent(schema) } };
}
