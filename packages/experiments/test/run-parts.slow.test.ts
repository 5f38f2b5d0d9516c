import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { experimentNamed, parseResult } from "@vouch/experiments";
import { afterAll, expect, it } from "vitest";
import { completeRun } from "vouch/extend";

const folder = mkdtempSync(join(tmpdir(), "vouch-shares-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAME = "model-selection/training-error";
const script = fileURLToPath(new URL("../run-parts.mjs", import.meta.url));

it("two processes compute the parts of a result, which has the same numbers and names the commit", async () => {
  const file = join(folder, "result.json");
  const options = ["--scale", "quick", "--seed", "4", "--processes", "2", "--folder", folder];
  execFileSync(process.execPath, [script, NAME, ...options, "--result", file], {
    env: { ...process.env, VOUCH_COMMIT: "1234abcd" },
    stdio: "ignore",
  });
  const { data, commits } = parseResult(readFileSync(file, "utf8"), file);
  const alone = await experimentNamed(NAME).run({ ...completeRun({ seed: 4 }), scale: "quick" });
  expect(data).toEqual(alone.data);
  expect(commits).toEqual(["1234abcd"]);
  // The files of the processes are merged into one.
  expect(readdirSync(folder).sort()).toEqual(["model-selection-training-error.json", "result.json"]);
});
