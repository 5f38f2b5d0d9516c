import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Address of a cluster's Redis server. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  /** Prefix of all keys and channels; absent for the default. */
  readonly prefix?: string;
  /** Address without the password, for messages. */
  readonly shown: string;
}

/** A prefix; other characters have a meaning in BullMQ or in ACL patterns. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Parses `redis://[user[:password]@]host[:port][/database][?prefix=NAME]`, or `rediss://…` for TLS. Errors never
 * contain the password.
 */
export function redisAddress(url: string): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const tls = parsed?.protocol === "rediss:";
  const path = parsed?.pathname.replace(/^\//, "") ?? "";
  const parameters = [...(parsed?.searchParams ?? [])];
  if (
    !parsed?.hostname ||
    !(tls || parsed.protocol === "redis:") ||
    !/^\d{0,4}$/.test(path) ||
    !parameters.every(([name, value]) => name === "prefix" && PREFIX.test(value)) ||
    parameters.length > 1
  ) {
    throw new VouchError(
      "option/invalid",
      `--cluster must be the address of a Redis server, not ${withoutPassword(url)}.`,
      {
        hint: "Write redis://host:6379, redis://user:password@host:6379/0, or rediss://… for TLS. A prefix, ?prefix=team-a, has only letters, digits and . _ -.",
      },
    );
  }
  const { hostname, port, username, password } = parsed;
  const [[, prefix] = []] = parameters;
  const user = username ? `${decodeURIComponent(username)}@` : "";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    host,
    port: port === "" ? 6379 : Number(port),
    database: Number(path),
    tls,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(prefix && { prefix }),
    shown: `${parsed.protocol}//${user}${hostname}:${port || 6379}${path && `/${path}`}${parsed.search}`,
  };
}

/** Removes everything between the scheme and the last @, which may contain a password. */
function withoutPassword(url: string): string {
  const at = url.lastIndexOf("@");
  if (at < 0) return `"${url}"`;
  const scheme = /^[a-z]*:\/\//.exec(url)?.[0] ?? "";
  return `"${scheme}…${url.slice(at)}"`;
}
