import { interrupted } from "./vouch-error.js";

/**
 * Passes byte arrays between the tasks of one run, by key. Each key is written once and read once: an implementation may forget bytes
 * as soon as they are read.
 */
export interface Exchange {
  /** Writes bytes under a key. Writing the same key again has no effect: tasks that are repeated write the same bytes. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Waits until the key is there. Rejects with `run/interrupted` if the signal is aborted, `cluster/timeout` if a time-out passes. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array>;
}

/** Makes an exchange between tasks of this thread, which keeps bytes in memory until they are read. */
export function memoryExchange(): Exchange {
  const written = new Map<string, Uint8Array>();
  const awaited = new Map<string, (bytes: Uint8Array) => void>();
  return {
    async put(key, bytes) {
      const reader = awaited.get(key);
      if (reader) reader(bytes);
      else written.set(key, bytes);
    },
    async get(key, signal) {
      if (signal?.aborted) throw interrupted();
      const bytes = written.get(key);
      if (bytes) {
        written.delete(key);
        return bytes;
      }
      return new Promise<Uint8Array>((resolve, reject) => {
        const stop = () => {
          awaited.delete(key);
          reject(interrupted());
        };
        awaited.set(key, (found) => {
          awaited.delete(key);
          signal?.removeEventListener("abort", stop);
          resolve(found);
        });
        signal?.addEventListener("abort", stop, { once: true });
      });
    },
  };
}
