import Fastify, { type FastifyInstance, type FastifyReply } from "fastify";
import { HttpFault, httpFaultOf } from "./http-fault.js";
import type { InferenceService } from "./inference-service.js";
import { addPageRoutes } from "./page-routes.js";
import { addProtocolRoutes } from "./protocol-routes.js";
import { addRecordRoutes } from "./record-routes.js";
import { RouteTable } from "./route-table.js";
import type { Tokens } from "./tokens.js";

/** What the server needs besides the service. */
export interface HttpOptions {
  /** Who may use the service; everybody if there are no tokens. */
  readonly tokens?: Tokens | undefined;
  /** Writes all metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** Receives errors that are the server's own. */
  readonly log: (line: string) => void;
}

/** Milliseconds in which a client must send the headers, and all of the request. */
const HEADER_TIME = 10_000;
const REQUEST_TIME = 60_000;
/** Longer than a minute, after which load balancers let go of connections. */
const KEEP_ALIVE_TIME = 65_000;

/** Makes the HTTP server; it does not listen yet. */
export function createHttpServer(service: InferenceService, options: HttpOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: service.inFlight.limits.maxBody,
    requestTimeout: REQUEST_TIME,
    keepAliveTimeout: KEEP_ALIVE_TIME,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: (error, _, reply) => {
      void sendFault(reply, error, options.log);
    },
    clientErrorHandler(error, socket) {
      if (!socket.writable) {
        socket.destroy();
        return;
      }
      const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
      const long = error.code === "HPE_HEADER_OVERFLOW";
      const status = late
        ? "408 Request Timeout"
        : long
          ? "431 Request Header Fields Too Large"
          : "400 Bad Request";
      const message = late
        ? "The request took too long."
        : long
          ? "The headers are too long."
          : "This is not an HTTP request.";
      const body = JSON.stringify({ error: message });
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  });
  app.server.headersTimeout = HEADER_TIME;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body));
  app.setErrorHandler((error, _, reply) => sendFault(reply, error, options.log));
  app.setNotFoundHandler(() => {
    throw new HttpFault(404, "There is nothing at this address.", {
      hint: "GET / lists the models; GET /openapi.json lists the addresses.",
    });
  });
  if (options.tokens) addAuthorisation(app, options.tokens);
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

/** Asks for a token everywhere but at the health checks, which orchestrators call without one. */
function addAuthorisation(app: FastifyInstance, tokens: Tokens): void {
  app.addHook("onRequest", async ({ url, headers }) => {
    if (url === "/v2/health/live" || url === "/v2/health/ready") return;
    if (tokens.accept(headers.authorization)) return;
    const browser = headers.accept?.includes("text/html") === true;
    throw new HttpFault(
      401,
      headers.authorization === undefined ? "A token is missing." : "The token is not valid.",
      {
        hint: "Send Authorization: Bearer TOKEN.",
        headers: { "WWW-Authenticate": browser ? 'Basic realm="vouch"' : 'Bearer realm="vouch"' },
      },
    );
  });
}

/** Counts answers and their times, and lets go of connections when the server is about to end. */
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

/** Answers with an error in words; one of the server itself goes to its log and is not shown to clients. */
function sendFault(reply: FastifyReply, error: unknown, log: (line: string) => void): FastifyReply {
  const fault = httpFaultOf(error);
  if (!fault) log(`A request failed: ${error instanceof Error ? error.stack : String(error)}`);
  const { status, message, hint, headers } =
    fault ?? new HttpFault(500, "The server failed to answer.", { hint: "Its log has the details." });
  return reply
    .code(status)
    .headers(headers)
    .send({ error: message, ...(hint !== undefined && { hint }) });
}
