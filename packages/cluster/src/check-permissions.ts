import { randomUUID } from "node:crypto";
import type { RedisConnection } from "./redis-connection.js";

/**
 * Uses a key in every way that vouch and BullMQ do, and leaves nothing behind. Returns the refused command and the
 * reason.
 */
const CHECK = `
local key = KEYS[1]
local refused
local function try(command, ...)
  if refused then return end
  local answer = redis.pcall(command, ...)
  if type(answer) == "table" and answer.err then refused = { command, answer.err } end
end
local function use(command, ...)
  try(command, key, ...)
  try("DEL", key)
end
use("SET", "1", "PX", 1000)
use("HSET", "field", "1")
use("SADD", "1")
use("ZADD", 1, "1")
use("RPUSH", "1")
use("XADD", "*", "field", "1")
try("MGET", key)
try("EXPIRE", key, 1)
try("PUBLISH", ARGV[1], "")
return refused`;

/** Checks the permissions of a Redis user; throws an error that names the refused command. */
export async function checkPermissions(redis: RedisConnection): Promise<void> {
  const { keySpace } = redis;
  const refused = await redis.eval(CHECK, 1, keySpace.key("check", randomUUID()), keySpace.cancel);
  if (Array.isArray(refused)) throw new Error(`${refused[1]} (${refused[0]})`);
}
