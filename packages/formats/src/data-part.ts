/** One of several contiguous parts of data, each of which is read by another process. */
export interface DataPart {
  /** From 0. */
  readonly shard: number;
  readonly shards: number;
}

/** Collects bytes of all shards: `ShardGroup` of vouch/sharded is one. */
export interface PartsOfData extends DataPart {
  gather(own: Uint8Array): Promise<Uint8Array[]>;
}
