import { Inbox } from "./inbox.js";

/**
 * Passes byte arrays between the shards of a run, by key. Each key is written once and read once: an implementation may forget
 * bytes as soon as they are read.
 */
export interface Exchange {
  /** Writes bytes under a key; they may change again once this resolves. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Waits until the key is there. Rejects with `run/interrupted` if the signal is aborted. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array>;
}

/** Makes an exchange between shards of this thread, which keeps bytes in memory until they are read. */
export function memoryExchange(): Exchange {
  const inbox = new Inbox();
  return {
    async put(key, bytes) {
      inbox.deliver(key, bytes.slice());
    },
    get: (key, signal) => inbox.take(key, signal),
  };
}
