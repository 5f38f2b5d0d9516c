import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

/** Names that only this computer can reach. */
const LOCAL = /^(?:127(?:\.\d{1,3}){3}|::1|(?:.*\.)?localhost)$/;

/** A host name without scheme, port and path. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * The names that a server answers to. A page of another site can point its own name to the address of this server (DNS
 * rebinding) and then read every answer. But its requests carry that name in their `Host` header. An IP address in the
 * header cannot be forged like that, nor a name without a dot, which no other site can own.
 */
export class HostNames {
  readonly #host: string;
  readonly #names: ReadonlySet<string>;

  /** `host` is the listening address; `names` are additional names, such as the public name of a proxy. */
  constructor(host: string, names: readonly string[] = []) {
    this.#host = host.toLowerCase();
    this.#names = new Set(names.map(checkedName));
  }

  /** Checks whether a listening address is reachable from this computer only. */
  static isLocal(host: string): boolean {
    return LOCAL.test(host.toLowerCase());
  }

  /** Checks whether the only `Host` header of a request names this server. */
  accept({ headers, rawHeaders }: IncomingMessage): boolean {
    let hosts = 0;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      if (rawHeaders[i].length === 4 && rawHeaders[i].toLowerCase() === "host") hosts++;
    }
    return hosts === 1 && this.#knows(nameIn(headers.host));
  }

  /** Checks whether a page with this `Origin` came from this server, which the browser reached by the header `host`. */
  isOwnOrigin(origin: string, host: string | undefined): boolean {
    const match = /^https?:\/\/(.+)$/.exec(origin.toLowerCase());
    if (!match) return false;
    return match[1] === host?.toLowerCase() || this.#names.has(nameIn(match[1]));
  }

  #knows(name: string): boolean {
    if (LOCAL.test(name) || isIP(name) !== 0) return true;
    if (name === this.#host || this.#names.has(name)) return true;
    return !HostNames.isLocal(this.#host) && NAME.test(name) && !name.includes(".");
  }
}

/** Returns the name in a `Host` header without its port; "" if there is none. */
function nameIn(header = ""): string {
  const [, address, name = ""] = /^(?:\[([^\]]+)\]|([^:]+?)\.?)(?::\d{1,5})?$/.exec(header) ?? [];
  return (address ?? name).toLowerCase();
}

function checkedName(name: string): string {
  const lower = name.toLowerCase();
  if (NAME.test(lower)) return lower;
  throw new VouchError("option/invalid", `A host name must be a name without a port, not "${name}".`, {
    hint: "Write --host-name models.example.com.",
  });
}
