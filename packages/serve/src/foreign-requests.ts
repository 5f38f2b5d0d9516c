import type { FastifyInstance, FastifyRequest } from "fastify";
import type { HostNames } from "./host-names.js";
import { ServiceError } from "./service-error.js";

/**
 * Paths for load balancers, which may use any host name and need no token. The answers contain nothing about models.
 */
const HEALTH = new Set(["/v2/health/live", "/v2/health/ready"]);

/** Checks whether a request is a health check. */
export function isHealthCheck({ url }: Pick<FastifyRequest, "url">): boolean {
  return HEALTH.has(url);
}

/** Headers for answers that are not pages: browsers must not guess their type, run them, or show them in a frame. */
const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Refuses requests from pages of other sites, and forbids browsers to use answers in other sites. */
export function refuseForeignRequests(app: FastifyInstance, names: HostNames): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(SAFE_HEADERS);
    done(isHealthCheck(request) ? undefined : (unknownHost(request, names) ?? otherSite(request, names)));
  });
}

function unknownHost({ raw }: FastifyRequest, names: HostNames): ServiceError | undefined {
  if (names.accept(raw)) return undefined;
  const { host = "" } = raw.headers;
  return new ServiceError(403, `The server does not answer to the name "${host.slice(0, 100)}".`, {
    hint: "Send one Host header with its IP address, or start it with --host-name NAME.",
  });
}

/** Such a page could not read the answer, but its feedback would count, with the user's login. */
function otherSite({ method, headers }: FastifyRequest, names: HostNames): ServiceError | undefined {
  const { origin, host, "sec-fetch-site": site } = headers;
  const isForeign =
    site === "cross-site" ||
    site === "same-site" ||
    (origin !== undefined && !names.isOwnOrigin(origin, host));
  if (method !== "POST" || !isForeign) return undefined;
  return new ServiceError(403, "This request comes from a page of another site.", {
    hint: "Send it from a program or from the pages of this server. Behind a proxy, start the server with --host-name NAME.",
  });
}
