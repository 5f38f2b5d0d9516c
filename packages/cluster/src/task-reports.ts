import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { commandError } from "./connect.js";
import { eventText, packFailure, type TaskEvent, type TaskJob } from "./messages.js";
import type { RedisAddress } from "./redis-address.js";
import type { RedisConnection } from "./redis-connection.js";
import type { WorkerEvent } from "./worker-settings.js";

/** Maximum number of attempts for a task whose workers lack memory. */
export const MOST_TRIES = 3;

/** Reports to runs how their tasks have ended. */
export class TaskReports {
  readonly #redis: RedisConnection;
  readonly #address: RedisAddress;
  /** Description of the worker. */
  readonly #worker: string;
  readonly #onEvent: (event: WorkerEvent) => void;
  /** Number of failed tasks. */
  failures = 0;

  constructor(
    redis: RedisConnection,
    address: RedisAddress,
    worker: string,
    onEvent: (event: WorkerEvent) => void,
  ) {
    this.#redis = redis;
    this.#address = address;
    this.#worker = worker;
    this.#onEvent = onEvent;
  }

  /** Adds an event to a run; false if the run is over. If Redis is out of memory, it reports that on the channel. */
  async tell(run: string, event: TaskEvent): Promise<boolean> {
    try {
      const text = eventText(event);
      return (
        (await this.#redis.xadd(this.#redis.keySpace.run(run).events, "NOMKSTREAM", "*", "event", text)) !==
        null
      );
    } catch (thrown) {
      const { map, index, worker } = event;
      const error = packFailure(commandError(thrown, this.#address));
      await this.#redis.publish(
        this.#redis.keySpace.run(run).notes,
        eventText({ kind: "failed", map, index, worker, error }),
      );
      throw thrown;
    }
  }

  /** Reports an error that another attempt would not change; throws if another attempt may succeed. */
  async failed(work: TaskJob, thrown: unknown, isLast: boolean): Promise<void> {
    const error = commandError(thrown, this.#address);
    const final = isLast || !isLocal(error);
    const { task, run, map, index } = work;
    const { message } = packFailure(error);
    this.failures++;
    this.#onEvent({ kind: "failed", task, run, index, message, final });
    if (!final) throw error;
    await this.tell(run, { kind: "failed", map, index, worker: this.#worker, error: packFailure(error) });
  }

  /** Reports a task that has killed its workers. */
  async gaveUp({ task, run, map, index }: TaskJob, deaths: number): Promise<void> {
    const error = new VouchError(
      "cluster/worker-died",
      `Task "${task}", input ${index + 1}: ${deaths} workers ended while they ran it.`,
      { hint: "Perhaps they have too little memory. Look at their output, or use fewer rows." },
    );
    this.#onEvent({ kind: "failed", task, run, index, message: error.message, final: true });
    await this.tell(run, { kind: "failed", map, index, worker: this.#worker, error: packFailure(error) });
  }

  /** Reports the progress of a task; the message may get lost. */
  progress(run: string, event: Extract<TaskEvent, { kind: "progress" }>): void {
    if (this.#redis.status !== "ready") return;
    this.#redis.publish(this.#redis.keySpace.run(run).notes, eventText(event)).catch(() => {});
  }
}

/** Returns whether an error is due to this machine, so that another one may succeed. */
function isLocal(error: unknown): boolean {
  if (!(error instanceof VouchError)) return false;
  return (
    error.code.startsWith("memory/") ||
    ["task/worker-died", "cluster/blob", "cluster/too-large"].includes(error.code)
  );
}
