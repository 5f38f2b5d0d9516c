import type { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { connectionError } from "./connect.js";
import type { WorkerFacts } from "./messages.js";
import { noWorkers, type PresentWorkers, presentWorkers } from "./presence.js";
import type { RedisAddress } from "./redis-address.js";
import type { RedisConnection } from "./redis-connection.js";

/** Milliseconds between two checks of the workers. */
const LOOK = 1000;

/** Time limits of a run in milliseconds. */
export interface RunLimits {
  /** Without any worker. */
  readonly patience: number;
  /** Without an answer from Redis. */
  readonly outage: number;
}

/** Watches the workers of a run and the answers of Redis, and gives the run up after too long without. */
export class RunWatch {
  readonly #redis: RedisConnection;
  readonly #address: RedisAddress;
  readonly #limits: RunLimits;
  readonly #listeners = new Set<(error: VouchError) => void>();
  #workers: PresentWorkers = { ours: [], others: [] };
  #lastLook = performance.now();
  #lastAnswer = this.#lastLook;
  #lastWorker = this.#lastLook;
  #isAsking = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(redis: RedisConnection, address: RedisAddress, limits: RunLimits) {
    this.#redis = redis;
    this.#address = address;
    this.#limits = limits;
  }

  /** Present workers of the same version. */
  get workers(): readonly WorkerFacts[] {
    return this.#workers.ours;
  }

  start(): void {
    const look = () => void this.#look().catch(() => {});
    this.#timer = setInterval(look, Math.min(LOOK, this.#limits.patience));
    look();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Registers a listener for giving up the run. Returns a function that removes it. */
  onGiveUp(listener: (error: VouchError) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    const now = performance.now();
    // Time in which this process computed or was stopped does not count as waiting.
    const pause = now - this.#lastLook - LOOK;
    if (pause > LOOK) {
      this.#lastAnswer += pause;
      this.#lastWorker += pause;
    }
    this.#lastLook = now;
    const { patience, outage } = this.#limits;
    if (now - this.#lastAnswer > outage) {
      this.#giveUp(connectionError(new Error(`no answer for ${Math.round(outage / 1000)} s`), this.#address));
    }
    if (this.#isAsking || this.#redis.status !== "ready") return;
    this.#isAsking = true;
    try {
      this.#workers = await presentWorkers(this.#redis);
    } finally {
      this.#isAsking = false;
    }
    const answered = performance.now();
    // Without an answer, it is unknown whether there were workers.
    const wasAway = answered - this.#lastAnswer > 3 * LOOK;
    if (wasAway || this.workers.length > 0) this.#lastWorker = answered;
    this.#lastAnswer = answered;
    if (answered - this.#lastWorker > patience) {
      this.#giveUp(noWorkers(this.#address, this.#workers, patience));
    }
  }

  #giveUp(error: VouchError): void {
    for (const listener of [...this.#listeners]) listener(error);
  }
}
