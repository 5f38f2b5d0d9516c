/** One of several contiguous parts of the data, each read by another process. */
export interface DataPart {
  /** From 0. */
  readonly shard: number;
  readonly shards: number;
}

/** Gathers bytes of all shards; `ShardGroup` is one implementation. */
export interface PartsOfData extends DataPart {
  gather(own: Uint8Array): Promise<Uint8Array[]>;
}
