import { TIME_TO_LIVE } from "./keys.js";
import type { RedisConnection } from "./redis-connection.js";

/** Records dead workers: they have sent no heartbeat for too long, and have not signed off. */
export async function noteDeaths(redis: RedisConnection, workers: readonly string[]): Promise<void> {
  const now = Date.now();
  const { keySpace } = redis;
  const commands = redis.multi().srem(keySpace.workers, ...workers);
  for (const id of workers) commands.zadd(keySpace.deaths, "NX", now, id);
  await commands.expire(keySpace.deaths, TIME_TO_LIVE).exec();
}

/** Lists the workers that have died since a time in milliseconds, unless the last death was too long ago. */
export async function deathsSince(redis: RedisConnection, time: number): Promise<string[]> {
  return redis.zrangebyscore(redis.keySpace.deaths, time, "+inf");
}
