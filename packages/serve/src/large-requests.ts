import type { Writable } from "node:stream";
import type { ServeLimits } from "./limits.js";
import { Turns } from "./turns.js";

/** Bytes up to which a request is small: it takes nothing from the memory of large ones, and never waits for them. */
const SMALL_REQUEST = 64 * 2 ** 10;

/** Large requests that are parsed and answered at the same time; the others wait. */
const MOST_LARGE = 2;

/** The place of a large request: bytes in memory, and its turn to compute. */
interface Lease {
  bytes: number;
  leave?: () => void;
  isAnswered: boolean;
}

/**
 * Bounds the memory of all large requests together, over HTTP and gRPC, from their first byte until they are answered or the client has
 * gone. A request is known by the stream of its answer.
 */
export class LargeRequests {
  readonly #limits: ServeLimits;
  readonly #leases = new WeakMap<Writable, Lease>();
  readonly #turns = new Turns(MOST_LARGE);
  #bytes = 0;

  constructor(limits: ServeLimits) {
    this.#limits = limits;
  }

  /** Takes as many bytes as the request has now, unless it is small; false if they are more than there are. */
  take(response: Writable, bytes: number): boolean {
    if (bytes <= SMALL_REQUEST) return true;
    const lease = this.#leases.get(response) ?? this.#newLease(response);
    const more = Math.max(0, bytes - lease.bytes);
    if (this.#bytes + more > this.#limits.maxBuffered) return false;
    this.#bytes += more;
    lease.bytes += more;
    return true;
  }

  /** Calls `start` when it is the turn of the request: at once for a small one. */
  enter(response: Writable, start: () => void): void {
    const lease = this.#leases.get(response);
    if (lease && !response.destroyed) lease.leave = this.#turns.enter(start);
    else start();
  }

  /** Lets the next large request compute. Its memory stays taken until the client has read the answer, for which it has limited time. */
  answered(response: Writable): void {
    const lease = this.#leases.get(response);
    if (!lease || lease.isAnswered) return;
    lease.isAnswered = true;
    lease.leave?.();
    if (response.destroyed) return;
    const timer = setTimeout(() => response.destroy(), this.#limits.requestTime);
    response.once("close", () => clearTimeout(timer));
  }

  #newLease(response: Writable): Lease {
    const lease: Lease = { bytes: 0, isAnswered: false };
    this.#leases.set(response, lease);
    response.once("close", () => {
      lease.leave?.();
      this.#bytes -= lease.bytes;
    });
    return lease;
  }
}
