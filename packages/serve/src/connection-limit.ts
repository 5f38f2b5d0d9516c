import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Connection limit per port where the system has no limit on descriptors or does not report one. */
const MOST_CONNECTIONS = 10_000;

/**
 * Closes excess connections, so that one port cannot use up the descriptors that the other port, model files and
 * threads need.
 */
export class ConnectionLimit {
  readonly #most: number;
  #open = 0;

  /** `share` is a fraction of the process's descriptors. */
  constructor(share: number) {
    this.#most = Math.min(MOST_CONNECTIONS, Math.floor(share * maxDescriptors()));
  }

  /** Counts a new connection until it closes. Returns false and closes it if there are too many. */
  admit(socket: Socket): boolean {
    if (this.#open >= this.#most) {
      socket.destroy();
      return false;
    }
    this.#open++;
    socket.once("close", () => {
      this.#open--;
    });
    return true;
  }
}

/** Returns the maximum number of descriptors of this process. */
function maxDescriptors(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
