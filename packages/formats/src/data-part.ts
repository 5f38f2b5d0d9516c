/** One of several contiguous parts of data, each of which is read by another process. */
export interface DataPart {
  /** From 0. */
  readonly shard: number;
  readonly shards: number;
}
