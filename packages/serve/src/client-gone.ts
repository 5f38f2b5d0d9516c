import type { FastifyReply } from "fastify";

/** Returns a signal that aborts when the client disconnects or has its answer. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (raw.destroyed) controller.abort();
  else raw.once("close", () => controller.abort());
  return controller.signal;
}
