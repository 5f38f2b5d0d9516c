import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VouchError } from "vouch";
import { inAPage, toFault } from "#studio/engine/fault.js";

const packages = fileURLToPath(new URL("../..", import.meta.url));

/** Folders whose advice a page can show, without what only Node runs. */
const SHOWN = [
  "formats/src",
  "core/src/table",
  "core/src/runtime/memory-limit.ts",
  "core/src/train/split.ts",
  "core/src/train/prepare-table.ts",
  "core/src/train/warnings.ts",
];
const NODE_ONLY = /formats\/src\/node\//;

/** The texts in code that name a flag of the command. */
function textsWithFlags(path: string): string[] {
  return readFileSync(path, "utf8").match(/"[^"\n]* --[a-z][^"\n]*"|`[^`\n]* --[a-z][^`\n]*`/g) ?? [];
}

describe("advice in a page", () => {
  it("names no flag of the command, wherever the library does", () => {
    const files = SHOWN.flatMap((shown) =>
      shown.endsWith(".ts")
        ? [join(packages, shown)]
        : readdirSync(join(packages, shown), { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith(".ts"))
            .map((name) => join(packages, shown, name)),
    );
    const texts = files.filter((file) => !NODE_ONLY.test(file)).flatMap(textsWithFlags);
    expect(texts.length).toBeGreaterThan(12);
    const flagged = texts.map((text) => inAPage(text.slice(1, -1).replace(/\$\{[^}]*\}/g, "x")));
    expect(flagged.filter((text) => text.includes("--"))).toEqual([]);
  });

  it("begins a sentence with a capital letter", () => {
    expect(inAPage("Choose another column with --target, or group its values.")).toBe(
      "Choose another target, or group its values.",
    );
  });
});

describe("a fault", () => {
  it("keeps message and advice, and tells what the user has stopped", () => {
    const error = new VouchError("data/empty", "a.csv is empty.", { hint: "Check it." });
    expect(toFault(error)).toEqual({ message: "a.csv is empty.", hint: "Check it.", stopped: false });
    expect(toFault(new VouchError("run/interrupted", "Stopped."))).toMatchObject({ stopped: true });
  });

  it("says what to do about a file that the browser cannot read", () => {
    const { message, hint } = toFault(new DOMException("permission problems", "NotReadableError"));
    expect(message).toContain("cannot be read any more");
    expect(hint).toContain("choose it again");
  });
});
