import { interrupted } from "../vouch-error.js";

/** A wait for the bytes of a key. */
interface Reader {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * Unread messages by key, and the readers that wait for missing ones. Every exchange has an inbox; they differ only in the
 * transport.
 */
export class Inbox {
  readonly #arrived = new Map<string, Uint8Array>();
  readonly #readers = new Map<string, Reader[]>();
  #failure: Error | undefined;

  /** Hands bytes to those that wait for the key, or keeps them for the first that asks. */
  deliver(key: string, bytes: Uint8Array): void {
    const readers = this.#readers.get(key);
    if (!readers) {
      this.#arrived.set(key, bytes);
      return;
    }
    this.#readers.delete(key);
    for (const reader of readers) reader.resolve(bytes);
  }

  /** Waits for the bytes of a key and forgets them. Rejects with `run/interrupted` if the signal is aborted. */
  take(key: string, signal?: AbortSignal): Promise<Uint8Array> {
    if (signal?.aborted) return Promise.reject(interrupted());
    const bytes = this.#arrived.get(key);
    if (bytes) {
      this.#arrived.delete(key);
      return Promise.resolve(bytes);
    }
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        signal?.removeEventListener("abort", stop);
        end();
      };
      const reader: Reader = {
        resolve: (found) => settle(() => resolve(found)),
        reject: (error) => settle(() => reject(error)),
      };
      const stop = () => {
        this.#forget(key, reader);
        reader.reject(interrupted());
      };
      signal?.addEventListener("abort", stop, { once: true });
      const others = this.#readers.get(key);
      if (others) others.push(reader);
      else this.#readers.set(key, [reader]);
    });
  }

  /** Lists the keys that are waited for. */
  awaited(): string[] {
    return [...this.#readers.keys()];
  }

  /** Returns whether a key is waited for. */
  awaits(key: string): boolean {
    return this.#readers.has(key);
  }

  /** Ends the waits for a key with an error. */
  refuse(key: string, error: Error): void {
    const readers = this.#readers.get(key) ?? [];
    this.#readers.delete(key);
    for (const reader of readers) reader.reject(error);
  }

  /** Ends all waits with an error, and those to come for what has not arrived. The first error stays. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const key of this.awaited()) this.refuse(key, this.#failure);
  }

  /** The error of `fail`. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  #forget(key: string, reader: Reader): void {
    const left = (this.#readers.get(key) ?? []).filter((each) => each !== reader);
    if (left.length > 0) this.#readers.set(key, left);
    else this.#readers.delete(key);
  }
}
