import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "./service-error.js";

/** Answers a request, at once or later. */
export type RouteHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The paths of the server with their methods. */
export class RouteTable {
  readonly #app: FastifyInstance;
  readonly #methods = new Map<string, string[]>();

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  add(method: "GET" | "POST", url: string, handler: RouteHandler): void {
    const own = method === "GET" ? ["GET", "HEAD"] : [method];
    this.#methods.set(url, [...(this.#methods.get(url) ?? []), ...own]);
    this.#app.route({ method, url, handler });
  }

  /** Answers other methods on the same paths with 405. */
  refuseOtherMethods(): void {
    for (const [url, allowed] of this.#methods) {
      this.#app.route({
        method: METHODS.filter((method) => !allowed.includes(method)),
        url,
        handler() {
          throw new ServiceError(405, `This address takes ${allowed.join(" and ")} only.`, {
            headers: { Allow: allowed.join(", ") },
          });
        },
      });
    }
  }
}
