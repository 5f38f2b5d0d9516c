import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { CANCEL, PREFIX } from "./keys.js";

/** Uses one key in all ways in which vouch and BullMQ use keys, and leaves nothing behind. */
const CHECK = `
local key = KEYS[1]
local function try(...) redis.call(...) redis.call("DEL", key) end
try("SET", key, "1", "PX", 1000)
try("HSET", key, "field", "1")
try("SADD", key, "1")
try("ZADD", key, 1, "1")
try("RPUSH", key, "1")
try("XADD", key, "*", "field", "1")
redis.call("MGET", key)
redis.call("EXPIRE", key, 1)
redis.call("PUBLISH", ARGV[1], "")
return 1`;

/** Tries what the user of a connection has to be allowed; rejects with the error of Redis if something is not. */
export async function checkPermissions(redis: Redis): Promise<void> {
  await redis.eval(CHECK, 1, `${PREFIX}:check:${randomUUID()}`, CANCEL);
}
