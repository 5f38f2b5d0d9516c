import { ShardGroup } from "@vouch/core/internal/runtime/shards/shard-group";
import { ShardTransport, type ShardTransportOptions } from "./shard-transport.js";

/**
 * Runs one shard: opens its mailbox at a Redis server, runs the work with the group of all shards, and closes the
 * mailbox. If the work fails, all other shards stop with an error that names this shard.
 */
export async function joinShards<T>(
  options: ShardTransportOptions & { readonly signal?: AbortSignal },
  work: (group: ShardGroup) => Promise<T>,
): Promise<T> {
  const { signal, shard, shards } = options;
  const mailbox = await ShardTransport.open(options);
  try {
    return await work(new ShardGroup(mailbox, shard, shards, { signal }));
  } catch (error) {
    await mailbox.fail(error);
    throw error;
  } finally {
    await mailbox.close();
  }
}
