import type { Server as NetServer } from "node:net";
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
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { GrpcConnections } from "./grpc-connections.js";
import { grpcParameters, grpcResponse, readGrpcRequest, textField } from "./grpc-messages.js";
import type { InferenceService } from "./inference-service.js";
import { tableOfTensors } from "./input-tensors.js";
import { chosenOutputs, outputTensors } from "./output-tensors.js";
import { protoPath } from "./proto-path.js";
import { modelMetadata, SERVER_METADATA } from "./protocol-routes.js";
import { receiveCalls } from "./receive-calls.js";
import { ServiceError, toServiceError } from "./service-error.js";
import type { Tokens } from "./tokens.js";

/** gRPC status for each HTTP status. */
const STATUS: Readonly<Record<number, status>> = {
  400: status.INVALID_ARGUMENT,
  401: status.UNAUTHENTICATED,
  404: status.NOT_FOUND,
  408: status.CANCELLED,
  413: status.RESOURCE_EXHAUSTED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
};

/** Maximum number of concurrent calls per connection; clients queue further calls. */
const MOST_CALLS = 32;

/** Idle time in milliseconds after which a connection is closed; clients reconnect when needed. */
const IDLE_TIME = 65_000;

/**
 * Maximum lifetime of a connection in milliseconds, because a client may leave calls open without reading the answers.
 */
const LONGEST_CONNECTION = 600_000;

/** A listening gRPC server. */
export interface GrpcServer {
  readonly port: number;
  /** Stops listening, and waits for current calls. */
  close(): Promise<void>;
}

type Call = ServerUnaryCall<unknown, object>;
type Handler = (request: unknown, call: Call) => object | Promise<object>;

/** Starts the Open Inference Protocol over gRPC. */
export async function startGrpcServer(
  service: InferenceService,
  address: { readonly host: string; readonly port: number },
  { tokens, log }: { readonly tokens?: Tokens | undefined; readonly log: (line: string) => void },
): Promise<GrpcServer> {
  const { maxBody, requestTime } = service.limits;
  const server = new Server({
    "grpc.max_receive_message_length": maxBody,
    "grpc.max_concurrent_streams": MOST_CALLS,
    "grpc.max_connection_idle_ms": IDLE_TIME,
    "grpc.max_connection_age_ms": LONGEST_CONNECTION,
    "grpc.max_connection_age_grace_ms": requestTime,
    interceptors: [receiveCalls(service.limits, service.large)],
  });
  const answer = (route: string, handler: Handler, open = false) => {
    return async (call: Call, callback: sendUnaryData<object>) => {
      const start = performance.now();
      const { name, code } = await answered(call, callback);
      service.metrics.answered(name, `grpc:${route}`, code, (performance.now() - start) / 1000);
    };
    async function answered(call: Call, callback: sendUnaryData<object>) {
      const asked = textField(call.request, "model_name") || textField(call.request, "name");
      const name = service.models.find(asked) ? asked : "";
      try {
        if (tokens && !open && !tokens.accept(authorisation(call.metadata))) {
          throw new ServiceError(401, "The token is missing or not valid.", {
            hint: "Send the metadata authorization: Bearer TOKEN.",
          });
        }
        callback(null, await handler(call.request, call));
        return { name, code: 200 };
      } catch (error) {
        const fault = toServiceError(error);
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
    ModelInfer: answer("ModelInfer", (request, call) => infer(service, request, () => clientGone(call))),
  };
  server.addService(serviceDefinition(), implementation);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const connections = new GrpcConnections(service.limits, (socket) => injector.injectConnection(socket));
  const port = await listen(connections.server, address);
  return {
    port,
    close() {
      connections.close();
      return closeServer(server, service.limits.closingTime);
    },
  };
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
  listener: NetServer,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once("error", (cause) =>
      reject(
        new VouchError("option/invalid", `Cannot listen on port ${port} of ${host} for gRPC.`, {
          hint: "Another program may use it: give another one with --grpc-port.",
          cause,
        }),
      ),
    );
    listener.listen(port, host, () => {
      const address = listener.address();
      resolve(address !== null && typeof address === "object" ? address.port : port);
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

/** Returns a signal that aborts when the client has cancelled its call or has gone. */
function clientGone(call: Call): AbortSignal {
  const controller = new AbortController();
  if (call.cancelled) controller.abort();
  else call.once("cancelled", () => controller.abort());
  return controller.signal;
}

function metadata(service: InferenceService, request: unknown): object {
  const model = service.models.get(textField(request, "name"), versionIn(request, "version"));
  const { parameters, ...fields } = modelMetadata(service, model);
  return { ...fields, parameters: grpcParameters(parameters) };
}

function versionIn(request: unknown, field: string): string | undefined {
  return textField(request, field) || undefined;
}

async function infer(service: InferenceService, request: unknown, gone: () => AbortSignal): Promise<object> {
  const model = service.models.get(textField(request, "model_name"), versionIn(request, "model_version"));
  const { schema } = model.classifier.encoder;
  const asked = readGrpcRequest(request, schema.columns.length, service.limits);
  const { answers } = await service.classify(model, tableOfTensors(schema, asked.inputs), gone);
  const requested = asked.outputs.map((name) => ({ name, binary: asked.raw }));
  const outputs = chosenOutputs(outputTensors(model.classifier, answers), requested, asked.raw);
  return grpcResponse(
    { model_name: model.name, model_version: model.version, id: asked.id },
    outputs.map(({ output }) => output),
    asked.raw,
  );
}
