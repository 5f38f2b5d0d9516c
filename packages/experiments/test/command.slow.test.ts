import { fileURLToPath } from "node:url";
import { experimentNamed, experiments, parseResult } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import { Desk } from "../../vouch/test/vouch.js";

const desk = new Desk();
const program = [process.execPath, fileURLToPath(new URL("../run.mjs", import.meta.url))];

const experiment = (...args: string[]) => desk.run(args, { program });

describe("npm run experiment", () => {
  it("lists every experiment", async () => {
    const { code, stdout } = await experiment();
    expect(code).toBe(0);
    const words = stdout.replace(/\s+/g, " ");
    for (const { name, paper, cost } of experiments) {
      for (const text of [name, paper, cost.paper]) expect(words).toContain(text);
    }
    expect(await desk.json([], { program })).toHaveLength(experiments.length);
  });

  it("prints a result as JSON, the same for any number of threads, and renders it", async () => {
    const name = "margin-forest/margins";
    const json = await experiment(name, "--json", "--seed", "5", "--threads", "1", "--resume", "parts.json");
    expect(json).toMatchObject({ code: 0, stderr: "" });
    const result = parseResult(json.stdout, "standard output");
    expect(result).toMatchObject({ experiment: name, scale: "quick", seed: 5 });
    const markdown = await experiment(name, "--out", "result.md", "--seed", "5", "--threads", "2");
    expect(markdown).toMatchObject({ code: 0, stdout: "" });
    expect(desk.read("result.md")).toBe(experimentNamed(name).render(result));
    // Finished parts are kept and trusted: nothing is computed again.
    const parts = desk.read("parts.json");
    expect(Object.keys(JSON.parse(parts).parts)).toEqual(["ionosphere, gcForest", "ionosphere, mdDF"]);
    desk.file("parts.json", parts.replace('"alpha": 1,', '"alpha": 7,'));
    const again = await experiment(name, "--json", "--seed", "5", "--resume", "parts.json");
    expect(again.stdout).toBe(json.stdout.replace('"alpha": 1,', '"alpha": 7,'));
    const other = await experiment(name, "--seed", "6", "--resume", "parts.json");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("with seed 5") });
  });

  it.each([
    [2, ["model-selection/traning-error"], 'Did you mean "model-selection/training-error"?'],
    [2, ["automatic/choice", "--scale", "huge"], "Allowed choices are quick, paper."],
    [2, ["automatic/choice", "--part", "1/2"], "--part needs the file of --resume."],
    [2, ["worker"], "vouch worker needs --cluster."],
    [1, ["automatic/choice", "--out", "nowhere/file"], "there is no folder nowhere."],
    [1, ["automatic/choice", "--resume", "nowhere/file"], "there is no folder nowhere."],
  ] as const)("ends with %i for %j", async (code, args, message) => {
    expect(await desk.fault(code, args, { program })).toContain(message);
  });

  it("explains itself", async () => {
    const { code, stdout } = await experiment("--help");
    expect(code).toBe(0);
    for (const text of ["[NAME]", "--scale <scale>", "--cluster <url>", "worker", "Examples:"]) {
      expect(stdout).toContain(text);
    }
  });
});
