import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { ConnectionLimit } from "./connection-limit.js";
import { isHealthCheck, refuseForeignRequests } from "./foreign-requests.js";
import type { HostNames } from "./host-names.js";
import type { InferenceService } from "./inference-service.js";
import { addPageRoutes } from "./page-routes.js";
import { addProtocolRoutes } from "./protocol-routes.js";
import { addRecordRoutes } from "./record-routes.js";
import { RequestBodies } from "./request-bodies.js";
import { RouteTable } from "./route-table.js";
import { ServiceError, toServiceError } from "./service-error.js";
import type { Tokens } from "./tokens.js";

export interface HttpOptions {
  /** Valid tokens; without any, everyone may use the service. */
  readonly tokens?: Tokens | undefined;
  readonly names: HostNames;
  /** Formats all metrics for Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Logs internal errors. */
  readonly log: (line: string) => void;
}

/** Longer than a minute, after which load balancers close idle connections. */
const KEEP_ALIVE_TIME = 65_000;

/** Share of the descriptors for HTTP connections. */
const DESCRIPTOR_SHARE = 0.5;

/** Milliseconds between checks for slow clients. Node's default of 30 seconds exceeds their time limits. */
const SLOW_CHECK_INTERVAL = 1000;

/** Creates the HTTP server, which does not listen yet. */
export function createHttpServer(service: InferenceService, options: HttpOptions): FastifyInstance {
  const { headerTime, requestTime } = service.limits;
  const app = Fastify({
    requestTimeout: requestTime,
    keepAliveTimeout: KEEP_ALIVE_TIME,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    http: {
      headersTimeout: Math.min(headerTime, requestTime),
      connectionsCheckingInterval: Math.min(SLOW_CHECK_INTERVAL, headerTime, requestTime),
    },
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _, reply) => {
      void sendFault(reply, error, options.log);
    },
    clientErrorHandler: (error, socket) => refuseClient(error.code, socket),
  });
  const connections = new ConnectionLimit(DESCRIPTOR_SHARE);
  app.server.prependListener("connection", (socket) => connections.admit(socket));
  app.removeAllContentTypeParsers();
  app.setErrorHandler((error, _, reply) => sendFault(reply, error, options.log));
  app.setNotFoundHandler(() => {
    throw new ServiceError(404, "There is nothing at this address.", {
      hint: "GET / lists the models; GET /openapi.json lists the paths.",
    });
  });
  refuseForeignRequests(app, options.names);
  if (options.tokens) addAuthorisation(app, options.tokens);
  addBodies(app, service);
  addMetrics(app, service);
  const routes = new RouteTable(app);
  addProtocolRoutes(routes, service);
  addRecordRoutes(routes, service);
  addPageRoutes(routes, service, options.tokens !== undefined);
  routes.add("GET", "/metrics", async (_, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await options.metrics()),
  );
  routes.refuseOtherMethods();
  return app;
}

/** Answers to unreadable requests, by Node's error code. */
const CLIENT_FAULTS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request took too long."],
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too long."],
};

/**
 * Answers a connection without a readable request and closes it; a client that leaves its end open must not hold it.
 */
function refuseClient(code: string, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const known = Object.hasOwn(CLIENT_FAULTS, code) ? CLIENT_FAULTS[code] : undefined;
  const [status, message] = known ?? ["400 Bad Request", "This is not an HTTP request."];
  const body = JSON.stringify({ error: message });
  const headers = ["Content-Type: application/json", `Content-Length: ${body.length}`, "Connection: close"];
  socket.write(`HTTP/1.1 ${status}\r\n${headers.join("\r\n")}\r\n\r\n${body}`);
  socket.destroySoon();
}

/** Requires a token everywhere except at the health checks, which orchestrators call without one. */
function addAuthorisation(app: FastifyInstance, tokens: Tokens): void {
  app.addHook("onRequest", async (request) => {
    if (isHealthCheck(request)) return;
    const { headers } = request;
    if (tokens.accept(headers.authorization)) return;
    const browser = headers.accept?.includes("text/html") === true;
    throw new ServiceError(
      401,
      headers.authorization === undefined ? "A token is missing." : "The token is not valid.",
      {
        hint: "Send Authorization: Bearer TOKEN.",
        headers: { "WWW-Authenticate": browser ? 'Basic realm="vouch"' : 'Bearer realm="vouch"' },
      },
    );
  });
}

/** Reads the bodies of requests as bytes. */
function addBodies(app: FastifyInstance, { limits, large }: InferenceService): void {
  const bodies = new RequestBodies(limits, large);
  const responses = new WeakMap<FastifyRequest, ServerResponse>();
  app.addHook("preParsing", (request, reply, payload, done) => {
    responses.set(request, reply.raw);
    done(null, payload);
  });
  app.addContentTypeParser("*", (request, _payload, done) => {
    const response = responses.get(request);
    if (response) bodies.read(request.raw, response, done);
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    large.answered(reply.raw);
    done(null, payload);
  });
}

/** Counts answers and their durations, and closes connections when the server is shutting down. */
function addMetrics(app: FastifyInstance, service: InferenceService): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (service.draining) reply.header("connection", "close");
    done(null, payload);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { url } = request.routeOptions;
    const { name } = Object(request.params);
    const model = typeof name === "string" && service.models.find(name) ? name : "";
    service.metrics.answered(model, url ?? "", reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
}

/** Answers with an error message; internal errors go to the log and are hidden from clients. */
function sendFault(reply: FastifyReply, error: unknown, log: (line: string) => void): FastifyReply {
  const fault = toServiceError(error);
  if (!fault) log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`);
  const { status, message, hint, headers } =
    fault ?? new ServiceError(500, "The server failed to answer.", { hint: "Its log has the details." });
  return reply.code(status).headers(headers).send({ error: message, hint });
}
