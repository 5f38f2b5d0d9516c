import type { RedisConnection } from "./redis-connection.js";

const DELETE_IDLE = `
if redis.call("EXISTS", KEYS[1]) == 1 then return 0 end
for i = 2, #KEYS do
  if string.match(KEYS[i], ":wait$") or string.match(KEYS[i], ":active$") or string.match(KEYS[i], ":delayed$") then
    if redis.call("EXISTS", KEYS[i]) == 1 then return 0 end
  end
end
redis.call("DEL", unpack(KEYS))
return 1`;

/** Deletes the list of deaths and BullMQ's queue keys, if there is no run and all queues are empty. */
export async function deleteIdleQueues(redis: RedisConnection): Promise<void> {
  const { runs, deaths } = redis.keySpace;
  const keys = [runs, deaths, ...redis.keySpace.queues()];
  await redis.eval(DELETE_IDLE, keys.length, ...keys);
}
