import type { Progress, RaceStanding } from "vouch/train";
import type {
  Answers,
  Call,
  Fault,
  FromEngine,
  RequestKind,
  Requests,
  ToEngine,
} from "../engine/protocol.js";

/** Receives the reports of a running request. */
interface CallListener {
  readonly onProgress?: (progress: Progress) => void;
  readonly onStanding?: (standing: readonly RaceStanding[]) => void;
}

/** A running request. */
export interface RunningCall<Answer> {
  readonly answer: Promise<Answer>;
  /** Ends it without an answer. */
  abort(): void;
  /** Ends a race with the best learner so far. */
  finish(): void;
}

/** An error of the engine. */
export class EngineFault extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Callbacks of a running request. A method, so that the promise of any answer is assignable. */
interface Pending extends CallListener {
  resolve(answer: unknown): void;
  reject(error: EngineFault): void;
}

/** The engine worker, which holds the data and the model and does all the work. */
export class EngineClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #next = 0;

  constructor(script: URL) {
    this.#worker = new Worker(script, { type: "module", name: "vouch engine" });
    this.#worker.onmessage = ({ data }: MessageEvent<FromEngine>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      const fault = { message: `The engine stopped: ${event.message || "its script could not be loaded"}.` };
      for (const pending of this.#pending.values()) pending.reject(new EngineFault(fault));
      this.#pending.clear();
    };
  }

  /** Sends a request. */
  call<K extends RequestKind>(
    kind: K,
    request: Requests[K],
    listener: CallListener = {},
  ): RunningCall<Answers[K]> {
    const id = this.#next++;
    const answer = new Promise<Answers[K]>((resolve, reject) => {
      this.#pending.set(id, { ...listener, resolve, reject });
    });
    const call: Call<K> = { id, kind, request };
    this.#worker.postMessage(call);
    return {
      answer,
      abort: () => this.#send({ id, kind: "abort" }),
      finish: () => this.#send({ id, kind: "finish" }),
    };
  }

  #send(message: ToEngine): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromEngine): void {
    const pending = this.#pending.get(message.id);
    if (message.kind === "progress") pending?.onProgress?.(message.progress);
    if (message.kind === "standing") pending?.onStanding?.(message.standing);
    if (message.kind === "progress" || message.kind === "standing") return;
    this.#pending.delete(message.id);
    if (message.kind === "done") pending?.resolve(message.answer);
    else pending?.reject(new EngineFault(message.fault));
  }
}
