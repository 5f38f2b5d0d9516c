import { VouchError } from "vouch/machines";

/** The address of the Redis server of a cluster. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  /** The address without the password, for messages. */
  readonly shown: string;
}

/** Parses `redis://[user[:password]@]host[:port][/database]`, or `rediss://…` for TLS. Errors do not repeat the password. */
export function redisAddress(url: string): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const tls = parsed?.protocol === "rediss:";
  const path = parsed?.pathname.replace(/^\//, "") ?? "";
  if (
    !parsed?.hostname ||
    !(tls || parsed.protocol === "redis:") ||
    !/^\d{0,4}$/.test(path) ||
    parsed.search
  ) {
    throw new VouchError(
      "option/invalid",
      `The address of the cluster, ${withoutPassword(url)}, is not one of Redis.`,
      {
        hint: "Write redis://host:6379, redis://user:password@host:6379/0, or rediss://… for TLS.",
      },
    );
  }
  const { hostname, port, username, password } = parsed;
  const user = username ? `${decodeURIComponent(username)}@` : "";
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    host,
    port: port === "" ? 6379 : Number(port),
    database: Number(path),
    tls,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    shown: `${parsed.protocol}//${user}${hostname}:${port || 6379}${path && `/${path}`}`,
  };
}

/** Leaves out everything between the scheme and the last @, where a password may be. */
function withoutPassword(url: string): string {
  const at = url.lastIndexOf("@");
  if (at < 0) return `"${url}"`;
  const scheme = /^[a-z]*:\/\//.exec(url)?.[0] ?? "";
  return `"${scheme}…${url.slice(at)}"`;
}
