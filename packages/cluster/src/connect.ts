import { isIP } from "node:net";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { RedisOptions } from "ioredis";
import { checkPermissions } from "./check-permissions.js";
import { DEFAULT_PREFIX } from "./keys.js";
import type { RedisAddress } from "./redis-address.js";
import { endConnection, RedisConnection } from "./redis-connection.js";
import { withTimeout } from "./time-limit.js";

/** Time limit of the first connection, in milliseconds. */
const CONNECT_WITHIN = 10_000;

/** Maximum delay between reconnection attempts in milliseconds, so that a run continues soon after Redis is back. */
const MOST_DELAY = 1000;

/** Milliseconds after which an ended connection is closed, even if Redis does not answer. */
const CLOSED_WITHIN = 500;

/** Matches permission errors of Redis, in scripts and elsewhere. */
const NOT_PERMITTED = /NOPERM|user executing the script/;

interface ConnectionOptions {
  readonly within?: number;
  /** Name of the connection in Redis. */
  readonly name?: string;
  /**
   * Number of attempts at a command while Redis is away; without a limit, commands wait for Redis, as BullMQ requires.
   */
  readonly attempts?: number;
}

/**
 * Connects to Redis, and reconnects whenever the connection is lost, while commands wait. Throws `cluster/denied` if
 * Redis refuses the user, the password or a needed command, `cluster/full` if Redis is out of memory, and
 * `cluster/unreachable` without an answer.
 */
export async function connectRedis(
  address: RedisAddress,
  { within = CONNECT_WITHIN, name = "vouch", attempts }: ConnectionOptions = {},
): Promise<RedisConnection> {
  const { host, port, database, tls, username, password, prefix } = address;
  let connected = false;
  const options: RedisOptions = {
    host,
    port,
    db: database,
    connectionName: name,
    ...(username && { username }),
    ...(password && { password }),
    // A certificate may be for an IP address, but TLS accepts only host names as server names.
    ...(tls && { tls: isIP(host) ? {} : { servername: host } }),
    lazyConnect: true,
    connectTimeout: within,
    disconnectTimeout: CLOSED_WITHIN,
    maxRetriesPerRequest: attempts ?? null,
    retryStrategy: (times) => (connected ? Math.min(MOST_DELAY, 50 * times) : null),
    // A command whose answer was lost is sent again; commands that wait for Redis can be repeated.
    autoResendUnfulfilledCommands: attempts === undefined,
  };
  const redis = new RedisConnection(options, prefix);
  let cause: unknown;
  redis.on("error", (error: unknown) => {
    cause = error;
  });
  try {
    await withTimeout(redis.connect(), within);
    await withTimeout(checkPermissions(redis), within);
    connected = true;
    return redis;
  } catch (error) {
    endConnection(redis);
    const known = commandError(error, address);
    throw known instanceof VouchError ? known : connectionError(cause ?? error, address);
  }
}

/** Explains why there is no connection to Redis. */
export function connectionError(cause: unknown, address: RedisAddress): VouchError {
  const { shown, tls } = address;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/WRONGPASS|NOAUTH|invalid password|AUTH/.test(message)) {
    return new VouchError("cluster/denied", `Redis at ${shown} refuses the user or the password.`, {
      hint: "Give both in the address: redis://user:password@host:6379.",
    });
  }
  if (NOT_PERMITTED.test(message)) return permissionError(message, address);
  return new VouchError("cluster/unreachable", `Redis at ${shown} cannot be reached: ${message}.`, {
    hint: tls
      ? "Check the address, and whether the server speaks TLS with a certificate that Node trusts (NODE_EXTRA_CA_CERTS)."
      : "Check the address and the firewall, and whether redis-server is running.",
  });
}

/** Names the missing permission in an error of Redis, which may also contain the name of a script. */
function permissionError(message: string, { shown, prefix = DEFAULT_PREFIX }: RedisAddress): VouchError {
  const missing = message
    .replace(/^(NOPERM|ERR) /, "")
    .replace(/^The user executing the script/, "it")
    .replace(/,? script: \S+|, on @user_script:\d+|\.(?= \(|$)/g, "");
  return new VouchError("cluster/denied", `The user of ${shown} lacks a permission: ${missing}.`, {
    hint: `Allow it: ACL SETUSER name on >password ~${prefix}:* &${prefix}:* +@all -@admin -@dangerous +info +client`,
  });
}

/** Converts errors about memory or permissions into errors for users. */
export function commandError(thrown: unknown, address: RedisAddress): unknown {
  const message = thrown instanceof Error ? thrown.message : "";
  if (/\bOOM\b/.test(message)) {
    return new VouchError("cluster/full", `Redis at ${address.shown} has no memory left.`, {
      hint: "Raise its maxmemory, or keep large data elsewhere: --blobs DIR or --blobs s3://… for the run and all workers.",
    });
  }
  return NOT_PERMITTED.test(message) ? permissionError(message, address) : thrown;
}
