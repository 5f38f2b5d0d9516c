import { Redis, type RedisOptions } from "ioredis";
import { KeySpace } from "./keys.js";

/** A connection to Redis and its keys. Its duplicates end with it, including those made by BullMQ. */
export class RedisConnection extends Redis {
  readonly keySpace: KeySpace;

  constructor(options: Omit<RedisOptions, "replyMapping">, prefix?: string) {
    super(options);
    this.keySpace = new KeySpace(prefix);
  }

  override duplicate<Changed extends Partial<RedisOptions> | undefined = undefined>(changed?: Changed) {
    const made = super.duplicate(changed);
    // Without a listener, an error would end the process.
    made.on("error", () => {});
    this.on("end", () => endConnection(made));
    return made;
  }
}

/**
 * Ends a connection in any state. ioredis alone would leave the commands of a reconnecting connection without an
 * answer, and would emit no "end".
 */
export function endConnection(redis: Pick<Redis, "status" | "connect" | "disconnect">): void {
  // Giving up an attempt rejects all commands.
  if (redis.status === "reconnecting") void redis.connect().catch(() => {});
  redis.disconnect();
}
