import { Redis, type RedisOptions } from "ioredis";
import { KeySpace } from "./keys.js";

/** A connection to Redis, and the keys that it uses. Its duplicates end with it, even those that BullMQ makes. */
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
 * Ends a connection in any state. ioredis alone would leave the commands of a connection that waits to connect again without an
 * answer, and would emit no "end".
 */
export function endConnection(redis: Pick<Redis, "status" | "connect" | "disconnect">): void {
  // An attempt that is given up at once rejects all commands.
  if (redis.status === "reconnecting") void redis.connect().catch(() => {});
  redis.disconnect();
}
