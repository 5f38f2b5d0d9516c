import type { Progress } from "@vouch/core/internal/runtime/parallel/run";
import type {
  Answers,
  Call,
  Fault,
  FromEngine,
  RaceBoard,
  RequestKind,
  Requests,
  ToEngine,
} from "../engine/protocol.js";
import type { TrainingProgress } from "../engine/training-progress.js";

/** Callbacks and signal of a request. */
interface CallListener {
  /** Cancels the request: it is rejected at once, and later messages about it are ignored. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onTraining?: (progress: TrainingProgress) => void;
  readonly onBoard?: (board: RaceBoard) => void;
}

/** A running request. */
export interface RunningCall<Answer> {
  readonly answer: Promise<Answer>;
  /** Ends a race with the best learner so far. */
  finish(): void;
}

export class EngineFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

const STOPPED: Fault = { message: "Stopped.", stopped: true };

/** Callbacks of a running request. Declared as a method, so that the promise of any answer is assignable. */
interface Pending extends CallListener {
  resolve(answer: unknown): void;
  reject(error: EngineFault): void;
}

/** The engine worker, which holds the data and the models and does all the work. */
export class EngineClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #next = 0;
  /** Why the engine no longer answers. */
  #dead: Fault | undefined;

  constructor(script: URL) {
    this.#worker = new Worker(script, { type: "module", name: "vouch engine" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromEngine>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      const fault = event.message
        ? { message: `The engine stopped: ${event.message}.` }
        : { message: "The engine could not be loaded.", hint: "Reload the page." };
      if (!event.message) this.#dead = fault;
      for (const pending of this.#pending.values()) pending.reject(new EngineFault(fault));
      this.#pending.clear();
    };
  }

  call<K extends RequestKind>(
    kind: K,
    request: Requests[K],
    listener: CallListener = {},
  ): RunningCall<Answers[K]> {
    const id = this.#next++;
    const { signal } = listener;
    const unsent = signal?.aborted ? STOPPED : this.#dead;
    if (unsent) return { answer: Promise.reject(new EngineFault(unsent)), finish: () => undefined };
    const answer = new Promise<Answers[K]>((resolve, reject) => {
      this.#pending.set(id, { ...listener, resolve, reject });
    });
    const call: Call<K> = { id, kind, request };
    this.#worker.postMessage(call);
    signal?.addEventListener("abort", () => this.#abort(id));
    return { answer, finish: () => this.#send({ id, kind: "finish" }) };
  }

  #abort(id: number): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    this.#send({ id, kind: "abort" });
    pending.reject(new EngineFault(STOPPED));
  }

  #send(message: ToEngine): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromEngine): void {
    const pending = this.#pending.get(message.id);
    switch (message.kind) {
      case "progress":
        pending?.onProgress?.(message.progress);
        break;
      case "training":
        pending?.onTraining?.(message.training);
        break;
      case "board":
        pending?.onBoard?.(message.board);
        break;
      case "done":
        this.#pending.delete(message.id);
        pending?.resolve(message.answer);
        break;
      case "failed":
        this.#pending.delete(message.id);
        pending?.reject(new EngineFault(message.fault));
    }
  }
}
