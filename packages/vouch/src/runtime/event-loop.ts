import { interrupted } from "./vouch-error.js";

/** How long work may keep the event loop waiting, in milliseconds: less than a frame of a 60 Hz screen. */
const PATIENCE = 12;

let lastTurn = 0;
let nextTurn: Promise<void> | undefined;

/**
 * Lets the event loop run if it has not for 12 ms, so that timers, signals and screens live on beside
 * long work on this thread. Throws when the signal is aborted, before or after. Cheap when there is nothing
 * to wait for: then it returns nothing, and `await` can be saved.
 */
export function breathe(signal?: AbortSignal): Promise<void> | undefined {
  throwIfAborted(signal);
  if (performance.now() - lastTurn < PATIENCE) return undefined;
  nextTurn ??= turn();
  return signal ? nextTurn.then(() => throwIfAborted(signal)) : nextTurn;
}

/** Throws `run/interrupted` when the signal is aborted. */
export function throwIfAborted(signal?: AbortSignal): void {
  if (signal?.aborted) throw interrupted();
}

async function turn(): Promise<void> {
  await new Promise<void>((resolve) => afterOthers(resolve));
  lastTurn = performance.now();
  nextTurn = undefined;
}

/** Calls back once the events that wait have been served. In browsers by a message: a timer costs 4 ms. */
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
