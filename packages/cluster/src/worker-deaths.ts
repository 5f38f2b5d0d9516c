import { TIME_TO_LIVE } from "./keys.js";
import type { RedisConnection } from "./redis-connection.js";

/** Notes that workers have died: they have given no sign of life for too long, and have not said that they leave. */
export async function noteDeaths(redis: RedisConnection, workers: readonly string[]): Promise<void> {
  const now = Date.now();
  const { keySpace } = redis;
  const commands = redis.multi().srem(keySpace.workers, ...workers);
  for (const id of workers) commands.zadd(keySpace.deaths, "NX", now, id);
  await commands.expire(keySpace.deaths, TIME_TO_LIVE).exec();
}

/** Lists the workers that have died since a time in milliseconds, as long as the last death was not too long ago. */
export async function deathsSince(redis: RedisConnection, time: number): Promise<string[]> {
  return redis.zrangebyscore(redis.keySpace.deaths, time, "+inf");
}
