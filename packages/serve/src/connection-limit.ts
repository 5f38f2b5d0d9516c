import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Connections of a port where the system does not limit descriptors, or does not say how many there are. */
const MOST_CONNECTIONS = 10_000;

/** Closes connections beyond so many, so that a port cannot use up the descriptors that the other port, model files and threads need. */
export class ConnectionLimit {
  readonly #most: number;
  #open = 0;

  /** `share` is the share of the descriptors of this process. */
  constructor(share: number) {
    this.#most = Math.min(MOST_CONNECTIONS, Math.floor(share * maxDescriptors()));
  }

  /** Counts a new connection until it is closed. False if there are too many: then it is closed at once. */
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

/** Returns how many descriptors this process may have. */
function maxDescriptors(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
