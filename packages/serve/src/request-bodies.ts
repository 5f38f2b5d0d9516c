import type { IncomingMessage, ServerResponse } from "node:http";
import type { LargeRequests } from "./large-requests.js";
import type { ServeLimits } from "./limits.js";
import { ServiceError } from "./service-error.js";

/** Reads the bodies of HTTP requests within the memory of large requests. */
export class RequestBodies {
  readonly #limits: ServeLimits;
  readonly #large: LargeRequests;

  constructor(limits: ServeLimits, large: LargeRequests) {
    this.#limits = limits;
    this.#large = large;
  }

  /** Reads a body; a large request waits for its turn. */
  read(
    request: IncomingMessage,
    response: ServerResponse,
    done: (error: Error | null, body?: Buffer) => void,
  ): void {
    const { maxBody } = this.#limits;
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > maxBody) {
      done(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (error: Error | null) => {
      request.off("data", onData).off("end", onEnd).off("error", finish);
      if (error) {
        done(error);
        return;
      }
      const body = Buffer.concat(chunks, length);
      this.#large.enter(response, () => done(null, body));
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (response.destroyed) return;
      if (length > maxBody) finish(tooLarge());
      else if (!this.#large.take(response, length)) finish(busy());
    };
    const onEnd = () => finish(null);
    request.on("data", onData).on("end", onEnd).on("error", finish);
  }
}

/** The rest of the request is not read, so the connection cannot be reused. */
const CLOSE = { Connection: "close" };

function tooLarge(): ServiceError {
  return new ServiceError(413, "The request is too large.", {
    hint: "Send fewer rows at once, or raise --max-body.",
    headers: CLOSE,
  });
}

function busy(): ServiceError {
  return new ServiceError(503, "The server is busy: it has too many large requests in memory.", {
    hint: "Try again in a second, or send fewer rows at once.",
    headers: { ...CLOSE, "Retry-After": "1" },
  });
}
