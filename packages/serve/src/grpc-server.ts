import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { type AnyDefinition, loadSync } from "@grpc/proto-loader";
import { VouchError } from "vouch/predict";
import { grpcParameters, grpcResponse, readGrpcRequest, textField } from "./grpc-messages.js";
import { HttpFault, httpFaultOf } from "./http-fault.js";
import type { InferenceService } from "./inference-service.js";
import { tableOfTensors } from "./input-tensors.js";
import { chosenOutputs, outputTensors } from "./output-tensors.js";
import { protoPath } from "./proto-path.js";
import { modelMetadata, SERVER_METADATA } from "./protocol-routes.js";
import type { Tokens } from "./tokens.js";

/** The gRPC status for each HTTP status. */
const STATUS: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  404: status.NOT_FOUND,
  413: status.RESOURCE_EXHAUSTED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** A gRPC server that listens. */
export interface GrpcServer {
  readonly port: number;
  /** Stops listening, and waits for the calls that are being answered. */
  close(): Promise<void>;
}

/** Starts the Open Inference Protocol over gRPC. */
export async function startGrpcServer(
  service: InferenceService,
  address: { readonly host: string; readonly port: number },
  { tokens, log }: { readonly tokens?: Tokens | undefined; readonly log: (line: string) => void },
): Promise<GrpcServer> {
  const server = new Server({ "grpc.max_receive_message_length": service.limits.maxBody });
  const answer = (route: string, handler: (request: unknown) => object | Promise<object>, open = false) => {
    return async (call: ServerUnaryCall<unknown, object>, callback: sendUnaryData<object>) => {
      const start = performance.now();
      const { name, code } = await answered(call, callback);
      service.metrics.answered(name, `grpc:${route}`, code, (performance.now() - start) / 1000);
    };
    async function answered(call: ServerUnaryCall<unknown, object>, callback: sendUnaryData<object>) {
      const asked = textField(call.request, "model_name") || textField(call.request, "name");
      const name = service.models.find(asked) ? asked : "";
      try {
        if (tokens && !open && !tokens.accept(authorisation(call.metadata))) {
          throw new HttpFault(401, "The token is missing or not valid.", {
            hint: "Send the metadata authorization: Bearer TOKEN.",
          });
        }
        callback(null, await handler(call.request));
        return { name, code: 200 };
      } catch (error) {
        const fault = httpFaultOf(error);
        if (!fault) log(`A call failed: ${error instanceof Error ? error.stack : String(error)}`);
        const { message, hint } = fault ?? { message: "The server failed to answer.", hint: undefined };
        const code = fault?.status ?? 500;
        const details = hint === undefined ? message : `${message} ${hint}`;
        callback({ code: STATUS[code] ?? status.INTERNAL, details });
        return { name, code };
      }
    }
  };
  const implementation: UntypedServiceImplementation = {
    ServerLive: answer("ServerLive", () => ({ live: true }), true),
    ServerReady: answer("ServerReady", () => ({ ready: service.ready }), true),
    ModelReady: answer("ModelReady", (request) => ({
      ready: service.models.find(textField(request, "name"), textField(request, "version")) !== undefined,
    })),
    ServerMetadata: answer("ServerMetadata", () => SERVER_METADATA),
    ModelMetadata: answer("ModelMetadata", (request) => metadata(service, request)),
    ModelInfer: answer("ModelInfer", (request) => infer(service, request)),
  };
  server.addService(serviceDefinition(), implementation);
  const port = await listen(server, address);
  return { port, close: () => closeServer(server, service.limits.closingTime) };
}

function authorisation(metadata: Metadata): string | undefined {
  const [first] = metadata.get("authorization");
  return typeof first === "string" ? first : undefined;
}

function serviceDefinition(): ServiceDefinition {
  const definitions = loadSync(protoPath(), { keepCase: true, longs: String, defaults: true });
  const definition = definitions["inference.GRPCInferenceService"];
  if (isService(definition)) return definition;
  throw new TypeError("The file of the protocol has no service.");
}

function isService(definition: AnyDefinition): definition is Exclude<AnyDefinition, { format: string }> {
  return !("format" in definition);
}

function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (!error) return resolve(bound);
      return reject(
        new VouchError("option/invalid", `Cannot listen on port ${port} of ${host} for gRPC.`, {
          hint: "Another program may use it: give another one with --grpc-port.",
          cause: error,
        }),
      );
    });
  });
}

function closeServer(server: Server, closingTime: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, closingTime);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function metadata(service: InferenceService, request: unknown): object {
  const model = service.models.get(textField(request, "name"), versionIn(request, "version"));
  const { parameters, ...fields } = modelMetadata(service, model);
  return { ...fields, parameters: grpcParameters(parameters) };
}

function versionIn(request: unknown, field: string): string | undefined {
  return textField(request, field) || undefined;
}

async function infer(service: InferenceService, request: unknown): Promise<object> {
  const model = service.models.get(textField(request, "model_name"), versionIn(request, "model_version"));
  const { schema } = model.classifier.encoder;
  const asked = readGrpcRequest(request, schema.columns.length, service.limits);
  const { answers } = await service.classify(model, tableOfTensors(schema, asked.inputs));
  const requested = asked.outputs.map((name) => ({ name, binary: asked.raw }));
  const outputs = chosenOutputs(outputTensors(model.classifier, answers), requested, asked.raw);
  return grpcResponse(
    { model_name: model.name, model_version: model.version, id: asked.id },
    outputs.map(({ output }) => output),
    asked.raw,
  );
}
