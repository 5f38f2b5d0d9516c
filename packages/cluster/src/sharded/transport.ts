/** Carries messages from this shard to others. What arrives goes to a `Receiver`. */
export interface Transport {
  /** Sends bytes under a key to another shard; they may change again once this resolves. */
  send(to: number, key: string, bytes: Uint8Array): Promise<void>;
  /** Tells all shards that can be told at once that this one has failed. */
  tell(failure: string): Promise<void>;
  /** Ends sends that wait for a shard. */
  abandon(error: Error): void;
  close(): Promise<void>;
}

/** Gets what a post brings. */
export interface Receiver {
  deliver(key: string, bytes: Uint8Array): void;
  /** Another shard has failed and says why. */
  failed(shard: number, why: string): void;
  /** No more messages will come from a shard. */
  ended(shard: number, why: string): void;
  /** No messages can be sent or received any more. */
  broken(error: Error): void;
}

/** Returns the shard that a message is for: keys end with `FROM-TO`. */
export function readerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

/** Returns the shard that sends a message. */
export function writerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf("-")));
}
