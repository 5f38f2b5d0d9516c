import { createHash, timingSafeEqual } from "node:crypto";
import { readText } from "@vouch/core/internal/runtime/files/read-text";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";

const tokenDigest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

/** Valid client tokens, compared in constant time. */
export class Tokens {
  readonly #digests: readonly Buffer[];

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(tokenDigest);
  }

  /** Reads tokens from a file, one per line; skips empty lines and lines that begin with #. */
  static async fromFile(path: string): Promise<Tokens> {
    const text = await readText(path).catch((cause: unknown) => {
      throw new VouchError("file/read", `Cannot read the tokens in ${path}.`, { cause });
    });
    const tokens = text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    if (tokens.length > 0) return new Tokens(tokens);
    throw new VouchError("file/format", `${path} has no token.`, {
      hint: "Write one token per line, such as the output of 'openssl rand -hex 32'.",
    });
  }

  /**
   * Checks whether an Authorization header contains a valid token, as a bearer token or as the password of basic
   * authentication.
   */
  accept(header: string | undefined): boolean {
    const given = tokenIn(header);
    if (given === undefined) return false;
    const digest = tokenDigest(given);
    let known = false;
    for (const each of this.#digests) known = timingSafeEqual(each, digest) || known;
    return known;
  }
}

function tokenIn(header: string | undefined): string | undefined {
  const [, scheme, value] = header?.match(/^(bearer|basic) +(\S+)\s*$/i) ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return value;
  const login = Buffer.from(value, "base64").toString("utf8");
  const colon = login.indexOf(":");
  return colon < 0 ? undefined : login.slice(colon + 1);
}
