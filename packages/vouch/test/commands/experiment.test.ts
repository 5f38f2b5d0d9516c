import { experimentNamed, experiments, parseResult } from "@vouch/experiments";
import { expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

const vouch = (...args: string[]) => desk.run(["experiment", ...args]);

it("lists every experiment", async () => {
  const { code, stdout } = await vouch("list");
  expect(code).toBe(0);
  const words = stdout.replace(/\s+/g, " ");
  for (const { name, paper, cost } of experiments) {
    for (const text of [name, paper, cost.paper]) expect(words).toContain(text);
  }
  expect(await desk.json(["experiment", "list"])).toHaveLength(experiments.length);
});

it("prints a result as JSON, the same for any number of threads, and renders it", async () => {
  const name = "margin-forest/margins";
  const json = await vouch(name, "--json", "--seed", "5", "--threads", "1", "--resume", "parts.json");
  expect(json).toMatchObject({ code: 0, stderr: "" });
  const result = parseResult(json.stdout, "standard output");
  expect(result).toMatchObject({ experiment: name, scale: "quick", seed: 5 });
  const markdown = await vouch(name, "--out", "result.md", "--seed", "5", "--threads", "2");
  expect(markdown).toMatchObject({ code: 0, stdout: "" });
  expect(desk.read("result.md")).toBe(experimentNamed(name).render(result));
  // Finished parts are kept and trusted: nothing is computed again.
  const parts = desk.read("parts.json");
  expect(Object.keys(JSON.parse(parts).parts)).toEqual(["ionosphere, gcForest", "ionosphere, mdDF"]);
  desk.file("parts.json", parts.replace('"alpha": 1,', '"alpha": 7,'));
  const again = await vouch(name, "--json", "--seed", "5", "--resume", "parts.json");
  expect(again.stdout).toBe(json.stdout.replace('"alpha": 1,', '"alpha": 7,'));
  const other = await vouch(name, "--seed", "6", "--resume", "parts.json");
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("with seed 5") });
});

it("suggests a name for a wrong one, and refuses a wrong scale", async () => {
  expect(await desk.fault(2, ["experiment", "model-selection/traning-error"])).toContain(
    'Did you mean "model-selection/training-error"?',
  );
  const args = ["experiment", "model-selection/training-error", "--scale", "huge"];
  expect(await desk.fault(2, args)).toContain("quick, paper");
});
