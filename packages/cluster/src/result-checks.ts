import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Executor, Task } from "@vouch/core/internal/runtime/parallel/executor";
import { taskFailure } from "@vouch/core/internal/runtime/parallel/task";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { ClusterRun } from "./cluster-run.js";
import { encodeValue } from "./codec.js";
import type { JobKind } from "./keys.js";
import { type TaskEvent, unpackFailure } from "./messages.js";

/** Milliseconds between checks whether another worker is still present. */
const LOOK = 1000;

export type DoneEvent = Extract<TaskEvent, { kind: "done" }>;

/** A result of a worker, and its task. */
export interface FirstResult<Input, Output> {
  readonly task: Task<Input, Output>;
  readonly input: Input;
  readonly lane: JobKind;
  readonly count: number;
  readonly value: Output;
  readonly event: DoneEvent;
  readonly signal: AbortSignal | undefined;
}

interface CheckOptions {
  /** Share of the results to compute again. */
  readonly share: number;
  readonly run: ClusterRun;
  readonly local: Executor;
  /** Reads the output of a task. */
  readonly read: (event: DoneEvent) => Promise<unknown>;
  /** Returns a `map` number that is unique in the run. */
  readonly nextMap: () => number;
}

/** Recomputes a sample of the workers' results elsewhere, and compares the bytes. */
export class ResultChecks {
  readonly #options: CheckOptions;
  readonly #sample: ResultSample;
  /** Number of results confirmed so far. */
  passed = 0;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#sample = new ResultSample(options.share);
  }

  /** Recomputes a result if it is in the sample. Throws if the bytes differ. */
  async check<Input, Output>(first: FirstResult<Input, Output>): Promise<void> {
    const { task, event, count, value } = first;
    const { map, index, worker } = event;
    if (!this.#sample.has(task.id, map, index)) return;
    const second = await this.#computeAgain(first);
    if (hashResult(second.value) !== hashResult(value)) {
      throw new VouchError(
        "cluster/mismatch",
        `Task "${task.id}", input ${index + 1} of ${count}: ${worker} and ${second.worker} have computed different results.`,
        {
          hint: "One of the two computes or stores wrong values. Check its memory and its installation, and run again without it.",
        },
      );
    }
    this.passed++;
  }

  /** Uses another worker, or this machine if there is no other. */
  #computeAgain<Input, Output>({ task, input, lane, event, count, signal }: FirstResult<Input, Output>) {
    const { run, local, read, nextMap } = this.#options;
    const hasOther = () => run.workers.some(({ id }) => id !== event.by);
    return new Promise<{ readonly value: unknown; readonly worker: string }>((resolve, reject) => {
      const map = nextMap();
      let settled = false;
      const settle = (end: () => void) => {
        if (settled) return;
        settled = true;
        clearInterval(timer);
        stopListening();
        signal?.removeEventListener("abort", onAbort);
        end();
      };
      const fail = (error: Error) => settle(() => reject(taskFailure(task, event.index, count, error)));
      const drop = () => void run.cancel(map).catch(() => {});
      const onAbort = () => settle(drop);
      const computeHere = () =>
        settle(() => {
          drop();
          const options = signal ? { signal } : {};
          local
            .map(task, [input], options)
            .then(([value]) => resolve({ value, worker: "this machine" }), reject);
        });
      const timer = setInterval(() => hasOther() || computeHere(), LOOK);
      const stopListening = run.onGiveUp(fail);
      signal?.addEventListener("abort", onAbort);
      if (!hasOther()) {
        computeHere();
        return;
      }
      void run.send([
        {
          lane,
          map,
          index: 0,
          task: task.id,
          avoid: event.by,
          input: () => run.uploads.message(input),
          isWanted: () => !settled,
          onFailure: fail,
          onEvent: (second) => {
            if (second.kind === "failed") fail(unpackFailure(second.error));
            else if (second.kind === "done") {
              read(second).then((value) => settle(() => resolve({ value, worker: second.worker })), fail);
            }
          },
        },
      ]);
    });
  }
}

/** Samples tasks by a hash with a secret of the run, so that no worker can predict which results are checked. */
export class ResultSample {
  readonly #limit: number;
  readonly #secret = randomBytes(32);

  constructor(share: number) {
    this.#limit = share * 2 ** 32;
  }

  has(task: string, map: number, index: number): boolean {
    const hash = createHmac("sha256", this.#secret).update(`${map} ${index} ${task}`).digest();
    return hash.readUInt32BE() < this.#limit;
  }
}

function hashResult(value: unknown): string {
  return createHash("sha256")
    .update(encodeValue(withoutTimes(value)))
    .digest("hex");
}

/** Removes measured times (`seconds`), which vary. */
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "seconds");
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutTimes(each)]));
}
