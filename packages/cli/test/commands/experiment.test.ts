import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { experimentNamed, experiments, parseResult } from "@vouch/experiments";
import { expect, it } from "vitest";

const binary = fileURLToPath(new URL("../../bin/vouch.js", import.meta.url));

function vouch(...args: string[]) {
  return spawnSync(process.execPath, [binary, "experiment", ...args], { encoding: "utf8" });
}

it("lists every experiment", () => {
  const { status, stdout } = vouch("list");
  expect(status).toBe(0);
  for (const { name, paper, cost } of experiments) {
    expect(stdout).toContain(name);
    const words = stdout.replace(/\s+/g, " ");
    expect(words).toContain(paper);
    expect(words).toContain(cost.paper);
  }
  expect(JSON.parse(vouch("list", "--json").stdout)).toHaveLength(experiments.length);
});

it("prints a result as JSON, the same for any number of threads, and renders it", () => {
  const name = "model-selection/held-out-coverage";
  const folder = mkdtempSync(join(tmpdir(), "vouch-experiment-"));
  try {
    const json = vouch(name, "--json", "--seed", "5", "--threads", "1");
    expect(json.status).toBe(0);
    const result = parseResult(json.stdout, "standard output");
    expect(result).toMatchObject({ experiment: name, scale: "quick", seed: 5 });
    const file = join(folder, "result.md");
    const markdown = vouch(name, "--out", file, "--seed", "5", "--threads", "2");
    expect([markdown.status, markdown.stdout]).toEqual([0, ""]);
    expect(readFileSync(file, "utf8")).toBe(experimentNamed(name).render(result));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("keeps what is finished of a long one and goes on from there, and refuses the parts of another run", () => {
  const name = "margin-forest/margins";
  const folder = mkdtempSync(join(tmpdir(), "vouch-experiment-"));
  try {
    const file = join(folder, "parts.json");
    const first = vouch(name, "--json", "--seed", "5", "--resume", file);
    expect([first.status, first.stderr]).toEqual([0, ""]);
    const parts = readFileSync(file, "utf8");
    expect(Object.keys(JSON.parse(parts).parts)).toEqual(["ionosphere, gcForest", "ionosphere, mdDF"]);
    // What is kept is believed: nothing is computed again.
    writeFileSync(file, parts.replace('"alpha": 1,', '"alpha": 7,'));
    const again = vouch(name, "--json", "--seed", "5", "--resume", file);
    expect(again.stdout).toBe(first.stdout.replace('"alpha": 1,', '"alpha": 7,'));
    const other = vouch(name, "--seed", "6", "--resume", file);
    expect(other.status).toBe(2);
    expect(other.stderr).toContain("with seed 5");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("proposes a name for a wrong one, and refuses a wrong scale", () => {
  const wrongName = vouch("model-selection/traning-error");
  expect(wrongName.status).toBe(2);
  expect(wrongName.stderr).toContain('Did you mean "model-selection/training-error"?');
  const wrongScale = vouch("model-selection/training-error", "--scale", "huge");
  expect(wrongScale.status).toBe(2);
  expect(wrongScale.stderr).toContain("quick, paper");
});
