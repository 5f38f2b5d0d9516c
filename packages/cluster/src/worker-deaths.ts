import type { Redis } from "ioredis";
import { DEATHS, TIME_TO_LIVE, WORKERS } from "./keys.js";

/** Notes that workers have died: they have given no sign of life for too long, and have not said that they leave. */
export async function noteDeaths(redis: Redis, workers: readonly string[]): Promise<void> {
  const now = Date.now();
  const commands = redis.multi().srem(WORKERS, ...workers);
  for (const id of workers) commands.zadd(DEATHS, "NX", now, id);
  await commands.expire(DEATHS, TIME_TO_LIVE).exec();
}

/** Lists the workers that have died since a time in milliseconds, as long as the last death was not too long ago. */
export async function deathsSince(redis: Redis, time: number): Promise<string[]> {
  return redis.zrangebyscore(DEATHS, time, "+inf");
}
