import { interrupted } from "../vouch-error.js";

/** Milliseconds that work may block the event loop: less than a frame of a 60 Hz screen. */
const TURN_INTERVAL = 12;

let lastTurn = 0;
let pendingTurn: Promise<void> | undefined;

/**
 * Lets the event loop run if it has not for 12 ms, so that timers, signals and screens stay responsive during long work on this
 * thread. Throws if the signal is aborted, before or after. Returns undefined when there is nothing to wait for, so that hot
 * loops can skip the `await`.
 */
export function yieldToEventLoop(signal?: AbortSignal): Promise<void> | undefined {
  throwIfAborted(signal);
  if (performance.now() - lastTurn < TURN_INTERVAL) return undefined;
  pendingTurn ??= turn();
  return signal ? pendingTurn.then(() => throwIfAborted(signal)) : pendingTurn;
}

/** Throws `run/interrupted` if the signal is aborted. */
export function throwIfAborted(signal?: AbortSignal): void {
  if (signal?.aborted) throw interrupted();
}

/** Waits until all work has ended, even if some of it fails, since the memory that it uses may be released afterwards. */
export async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** Lets the event loop run now, for work that waits for messages. */
export function nextTurn(): Promise<void> {
  return new Promise<void>((resolve) => afterOthers(resolve));
}

async function turn(): Promise<void> {
  await nextTurn();
  lastTurn = performance.now();
  pendingTurn = undefined;
}

/** Calls back after the pending events. Browsers use a message, because a timer takes at least 4 ms. */
const afterOthers: (callback: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : postToSelf;

function postToSelf(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
