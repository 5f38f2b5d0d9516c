import { hardwareThreads } from "@vouch/core/internal/runtime/platform";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { FastifyInstance } from "fastify";
import { HostNames } from "../host-names.js";
import { createHttpServer } from "../http-server.js";
import { InferenceService } from "../inference-service.js";
import { completeLimits } from "../limits.js";
import type { ModelRegistry } from "../model-registry.js";
import type { Monitors } from "../monitors/monitors.js";
import type { ServeOptions } from "../serve-options.js";
import { Tokens } from "../tokens.js";

/** Services of a process that answers requests; some may live in another process. */
export interface ProcessServices {
  readonly models: ModelRegistry;
  readonly monitors: Monitors;
  /** Formats all metrics, given this process's own. */
  readonly metrics: (service: InferenceService) => Promise<string>;
  readonly log: (line: string) => void;
}

export interface ServerProcess {
  readonly service: InferenceService;
  readonly http: string;
  readonly grpc: string | undefined;
  close(): Promise<void>;
}

/** Starts to answer requests in this process; the models are already loaded. */
export async function startServerProcess(
  options: ServeOptions,
  { models, monitors, metrics, log }: ProcessServices,
): Promise<ServerProcess> {
  const { host = "127.0.0.1", port, grpcPort, workers = 1, tokenFile, hostNames } = options;
  const tokens = tokenFile === undefined ? undefined : await Tokens.fromFile(tokenFile);
  const threads = Math.max(1, Math.floor(hardwareThreads() / workers));
  const service = new InferenceService(models, monitors, completeLimits(options.limits), threads);
  const names = new HostNames(host, hostNames);
  const app = createHttpServer(service, { tokens, names, metrics: () => metrics(service), log });
  const http = await listen(app, host, port);
  const grpc = grpcPort === undefined ? undefined : await startGrpc();
  return {
    service,
    http,
    grpc: grpc && `${host}:${grpc.port}`,
    async close() {
      service.draining = true;
      const timer = setTimeout(() => app.server.closeAllConnections(), service.limits.closingTime);
      await Promise.all([app.close(), grpc?.close()]);
      clearTimeout(timer);
      await service.close();
    },
  };

  async function startGrpc() {
    try {
      // Loaded lazily, because most servers do not use gRPC.
      const { startGrpcServer } = await import("../grpc-server.js");
      return await startGrpcServer(service, { host, port: grpcPort ?? 0 }, { tokens, log });
    } catch (error) {
      await app.close();
      throw error;
    }
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : "";
    const reason =
      code === "EADDRINUSE" ? "it is in use" : code === "EACCES" ? "that is not permitted" : code;
    throw new VouchError("option/invalid", `Cannot listen on port ${port} of ${host}: ${reason}.`, {
      hint: "Give another port with --port, or another address with --host.",
      cause,
    });
  }
}
