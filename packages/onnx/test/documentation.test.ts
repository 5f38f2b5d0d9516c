import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { installedEngines } from "./engines/engines.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vouch-onnx-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(installedEngines().length === 0)(
  "docs/onnx.md has commands and a program that do what it says",
  () => {
    const page = readFileSync(join(root, "docs", "onnx.md"), "utf8");
    const blocks = Array.from(page.matchAll(/^```(\w*)\n(.*?)^```$/gms), ([, language, block]) => ({
      language,
      block,
    }));
    const only = (wanted: string) =>
      blocks.find(({ language }) => language === wanted)?.block ?? expect.fail(wanted);
    for (const line of only("sh").trim().split("\n")) {
      const [, ...args] = line.split(" ");
      execFileSync(process.execPath, [join(root, "packages/vouch/bin/vouch.js"), ...args], { cwd: folder });
    }
    symlinkSync(join(root, "packages/onnx/test/engines/node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "predict.mjs"), only("js"));
    const printed = execFileSync(process.execPath, ["predict.mjs"], { cwd: folder, encoding: "utf8" });
    expect(printed).toBe(only(""));
  },
);
