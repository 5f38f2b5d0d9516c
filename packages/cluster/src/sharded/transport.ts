/** Carries messages from this shard to others. Received messages go to a `Receiver`. */
export interface Transport {
  /** Sends bytes under a key to another shard; the buffer can be reused once this resolves. */
  send(to: number, key: string, bytes: Uint8Array): Promise<void>;
  /** Tells all reachable shards that this one has failed. */
  tell(failure: string): Promise<void>;
  /** Rejects sends that wait for a shard. */
  abandon(error: Error): void;
  close(): Promise<void>;
}

/** Receives messages from other shards. */
export interface Receiver {
  deliver(key: string, bytes: Uint8Array): void;
  /** Another shard has failed. */
  failed(shard: number, why: string): void;
  /** No more messages will come from a shard. */
  ended(shard: number, why: string): void;
  /** Sending and receiving are no longer possible. */
  broken(error: Error): void;
}

/** Returns the shard that a message is for: keys end with `FROM-TO`. */
export function readerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("-") + 1));
}

/** Returns the sender of a message. */
export function writerOf(key: string): number {
  return Number(key.slice(key.lastIndexOf("/") + 1, key.lastIndexOf("-")));
}
