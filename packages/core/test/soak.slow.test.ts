import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../../scripts/soak.mjs", import.meta.url));

it("a process that fits and predicts again and again does not grow", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, "--fits", "150"]);
  const figures = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(figures.map(({ fits }) => fits)).toEqual([100, 150]);
  expect(figures.every(({ kernel, threads }) => kernel === 0 && threads === 2)).toBe(true);
});
