import { VERSION } from "@vouch/core/internal/runtime/version";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientGone } from "./client-gone.js";
import { type InferRequest, readInferRequest } from "./infer-request.js";
import type { InferenceService } from "./inference-service.js";
import { tableOfTensors } from "./input-tensors.js";
import type { ModelFacts } from "./model-facts.js";
import {
  chosenOutputs,
  inputMetadata,
  outputMetadata,
  outputTensors,
  type TensorMetadata,
} from "./output-tensors.js";
import { checkTensorType } from "./request-body.js";
import type { RouteTable } from "./route-table.js";
import type { Classified, ServedModel } from "./served-model.js";
import { ServiceError } from "./service-error.js";
import { encodeTensor } from "./tensor-data.js";

/** Name and extensions of the server. */
export const SERVER_METADATA = { name: "vouch", version: VERSION, extensions: ["binary_tensor_data"] };

/** The framework of all models in the protocol's metadata. */
const PLATFORM = "vouch_safetensors";

/** Metadata of a model: the fields of the protocol, and all other facts as parameters. */
interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
  readonly parameters: ModelFacts & { readonly version: string };
}

/** Name and version in a path. */
export interface ModelParams {
  readonly name: string;
  readonly version?: string;
}

/** Adds the paths of the Open Inference Protocol. */
export function addProtocolRoutes(routes: RouteTable, service: InferenceService): void {
  routes.add("GET", "/v2", (_, reply) => reply.send(SERVER_METADATA));
  routes.add("GET", "/v2/health/live", (_, reply) => reply.send({ live: true }));
  routes.add("GET", "/v2/health/ready", (_, reply) => {
    const { ready } = service;
    return reply.code(ready ? 200 : 503).send({ ready, live: true });
  });
  for (const prefix of ["/v2/models/:name", "/v2/models/:name/versions/:version"]) {
    routes.add("GET", prefix, (request, reply) =>
      reply.send(modelMetadata(service, findModel(service, request))),
    );
    routes.add("GET", `${prefix}/ready`, (request, reply) => {
      const { name, version } = readParams(request);
      const ready = service.models.isReady(name, version);
      return reply.code(ready ? 200 : 503).send({ name, ready });
    });
    routes.add("POST", `${prefix}/infer`, (request, reply) => infer(service, request, reply));
  }
}

function readParams({ params }: FastifyRequest): ModelParams {
  const { name, version } = Object(params);
  return { name: String(name), ...(version !== undefined && { version: String(version) }) };
}

/** Returns the model in a request's path. Throws 404 if it does not exist. */
export function findModel(service: InferenceService, request: FastifyRequest): ServedModel {
  const { name, version } = readParams(request);
  return service.models.get(name, version);
}

/** Describes a model for the protocol, with verdict and certificate among its parameters. */
export function modelMetadata(
  service: InferenceService,
  { name, classifier, version, facts }: ServedModel,
): ModelMetadata {
  return {
    name,
    versions: service.models.versions(name),
    platform: PLATFORM,
    inputs: inputMetadata(classifier),
    outputs: outputMetadata(classifier),
    parameters: { version, ...facts },
  };
}

function infer(
  service: InferenceService,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const model = findModel(service, request);
  const { headers } = request;
  checkTensorType(headers["content-type"]);
  if (headers["content-encoding"] !== undefined && headers["content-encoding"] !== "identity") {
    throw new ServiceError(415, "Compressed requests are not supported.", {
      hint: "Leave out Content-Encoding.",
    });
  }
  const { schema } = model.classifier.encoder;
  const jsonLength = headers["inference-header-content-length"];
  const asked = readInferRequest(
    request.body,
    typeof jsonLength === "string" ? jsonLength : undefined,
    schema.columns.length,
    service.limits,
  );
  const table = tableOfTensors(schema, asked.inputs);
  const classified = service.classify(model, table, () => clientGone(reply));
  return classified instanceof Promise
    ? classified.then((each) => send(reply, model, asked, each))
    : send(reply, model, asked, classified);
}

function send(
  reply: FastifyReply,
  model: ServedModel,
  asked: InferRequest,
  { answers }: Classified,
): FastifyReply {
  const outputs = outputTensors(model.classifier, answers);
  const contents: Buffer[] = [];
  const chosen = chosenOutputs(outputs, asked.outputs, asked.binaryOutputs).map(({ output, binary }) => {
    const { data, ...facts } = output;
    if (!binary) return { ...facts, data: data instanceof Float64Array ? Array.from(data) : data };
    const bytes = encodeTensor(data);
    contents.push(bytes);
    return { ...facts, parameters: { binary_data_size: bytes.length } };
  });
  const json = JSON.stringify({
    model_name: model.name,
    model_version: model.version,
    id: asked.id,
    outputs: chosen,
  });
  if (contents.length === 0) return reply.type("application/json").send(json);
  const head = Buffer.from(json, "utf8");
  return reply
    .header("Inference-Header-Content-Length", String(head.length))
    .type("application/octet-stream")
    .send(Buffer.concat([head, ...contents]));
}
