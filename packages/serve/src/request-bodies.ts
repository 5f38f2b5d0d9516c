import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServeLimits } from "./limits.js";
import { ServiceError } from "./service-error.js";
import { Turns } from "./turns.js";

/** Bytes up to which a request is small: it takes nothing from the memory of large ones, and never waits for them. */
const SMALL_BODY = 64 * 2 ** 10;

/** Large requests that are parsed and answered at the same time; the others wait. */
const MOST_LARGE = 2;

/** The place of a large request: bytes in memory, and its turn to compute. */
interface Lease {
  bytes: number;
  leave?: () => void;
}

/**
 * Reads the bodies of requests. All large ones together may take so many bytes of memory, from their first byte until they are
 * answered or the client has gone.
 */
export class RequestBodies {
  readonly #limits: ServeLimits;
  readonly #leases = new WeakMap<ServerResponse, Lease>();
  readonly #turns = new Turns(MOST_LARGE);
  #bytes = 0;

  constructor(limits: ServeLimits) {
    this.#limits = limits;
  }

  /** Reads a body, which a large request gets when it is its turn. */
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
      const lease = this.#leases.get(response);
      if (lease && !response.destroyed) lease.leave = this.#turns.enter(() => done(null, body));
      else done(null, body);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (response.destroyed) return;
      if (length > maxBody) finish(tooLarge());
      else if (length > SMALL_BODY && !this.#take(response, length)) finish(busy());
    };
    const onEnd = () => finish(null);
    request.on("data", onData).on("end", onEnd).on("error", finish);
  }

  /** Lets the next large request compute. Its memory stays taken until the client has read the answer, for which it has limited time. */
  answered(response: ServerResponse): void {
    const lease = this.#leases.get(response);
    if (!lease) return;
    lease.leave?.();
    if (response.destroyed) return;
    const timer = setTimeout(() => response.destroy(), this.#limits.requestTime);
    response.once("close", () => clearTimeout(timer));
  }

  /** Takes as many bytes as the request has now; false if they are more than there are. */
  #take(response: ServerResponse, bytes: number): boolean {
    const lease = this.#leases.get(response) ?? this.#newLease(response);
    const more = bytes - lease.bytes;
    if (this.#bytes + more > this.#limits.maxBuffered) return false;
    this.#bytes += more;
    lease.bytes = bytes;
    return true;
  }

  #newLease(response: ServerResponse): Lease {
    const lease: Lease = { bytes: 0 };
    this.#leases.set(response, lease);
    response.once("close", () => {
      lease.leave?.();
      this.#bytes -= lease.bytes;
    });
    return lease;
  }
}

/** The rest of the request is not read, so the connection cannot be used again. */
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
