import { readFileSync } from "node:fs";

let script: string | undefined;

/** Reads the script of the pages, which the package has as a file. */
export function tryPageScript(): string {
  script ??= readFileSync(new URL("./page-client.js", import.meta.url), "utf8").replace(
    /\n\/\/# sourceMappingURL=.*\n?$/,
    "\n",
  );
  return script;
}
