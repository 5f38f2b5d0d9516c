import { defineExperiment, experimentNamed, experiments, parseResult } from "@vouch/experiments";
import { describe, expect, it } from "vitest";
import { VERSION, VouchError } from "vouch";
import { completeRun } from "vouch/extend";
import { z } from "zod";

const run = { ...completeRun({ seed: 7 }), scale: "quick" } as const;

/** An experiment with a fixed result. */
function toy(answer: number) {
  return defineExperiment({
    name: "toy/answer",
    paper: "Nobody 2000",
    shows: "Table 1",
    cost: { quick: "nothing", paper: "nothing" },
    data: z.strictObject({ answer: z.number() }),
    measure: async () => ({ answer }),
    tables: ({ answer }) => `The answer is ${answer}.`,
  });
}

function thrown(work: () => unknown): VouchError {
  try {
    work();
  } catch (error) {
    if (error instanceof VouchError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("an experiment", () => {
  it("that has no parts to choose from refuses to compute some", async () => {
    await expect(toy(42).run({ ...run, only: ["iris"] })).rejects.toMatchObject({
      code: "option/invalid",
      message: "toy/answer can only be computed as a whole.",
    });
  });

  it("returns a result with its origin", async () => {
    expect(await toy(42).run(run)).toMatchObject({
      experiment: "toy/answer",
      scale: "quick",
      seed: 7,
      vouch: VERSION,
      data: { answer: 42 },
    });
  });

  it("renders a stored result", async () => {
    const { run: measure, render } = toy(42);
    const stored = parseResult(JSON.stringify(await measure(run)), "answer.json");
    const page = (code: string) =>
      `## toy/answer\n\nComputed by vouch ${VERSION}${code}: \`npm run experiment -- toy/answer --scale quick --seed 7\`\n\nTable 1 (Nobody 2000)\n\nThe answer is 42.\n`;
    expect(render({ ...stored, commits: [] })).toBe(page(""));
    expect(render({ ...stored, commits: ["1234abcd"] })).toBe(page(", commit 1234abcd"));
    expect(render({ ...stored, commits: ["1234abcd", "5678ef00"] })).toBe(
      page(", commits 1234abcd, 5678ef00"),
    );
    expect(render({ ...stored, commits: undefined, storedIn: "1234abcd" })).toBe(
      page(", from commit 1234abcd"),
    );
    expect(render({ ...stored, commits: ["1234abcd"], storedIn: "5678ef00" })).toBe(
      page(", commit 1234abcd (in the history: 5678ef00)"),
    );
  });

  it("refuses to return a result that cannot be stored", async () => {
    await expect(toy(Number.NaN).run(run)).rejects.toMatchObject({
      code: "file/format",
      message: expect.stringContaining('toy/answer is not valid at "answer"'),
    });
  });

  it("refuses to render the result of another experiment", async () => {
    const result = await toy(42).run(run);
    expect(thrown(() => toy(42).render({ ...result, data: { answer: "42" } })).message).toContain('"answer"');
    expect(thrown(() => experiments[0].render(result)).message).toContain("toy/answer");
  });
});

describe("reading a result", () => {
  it("names the file and the fault", async () => {
    const { seed: _, ...seedless } = await toy(42).run(run);
    expect(thrown(() => parseResult("{", "a.json"))).toMatchObject({
      code: "file/format",
      message: "a.json is not JSON.",
    });
    expect(thrown(() => parseResult(JSON.stringify(seedless), "a.json")).message).toContain(
      'a.json is not valid at "seed"',
    );
    expect(thrown(() => parseResult("[]", "a.json")).code).toBe("file/format");
  });
});

describe("the list of experiments", () => {
  it("has unique names of the form paper/table", () => {
    const names = experiments.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z-]+\/[a-z0-9-]+$/);
  });

  it("finds each by its name, and suggests one for an unknown name", () => {
    for (const experiment of experiments) expect(experimentNamed(experiment.name)).toBe(experiment);
    expect(thrown(() => experimentNamed("model-selection/training-eror"))).toMatchObject({
      code: "option/unknown",
      hint: 'Did you mean "model-selection/training-error"?',
    });
    expect(thrown(() => experimentNamed("xyz")).hint).toContain("model-selection/held-out-coverage");
  });
});
