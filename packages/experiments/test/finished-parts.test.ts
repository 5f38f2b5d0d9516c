import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { experimentNamed, finishedPartsIn } from "@vouch/experiments";
import { afterAll, describe, expect, it } from "vitest";
import { completeRun } from "vouch/learning";
import { z } from "zod";
import { partOf } from "#experiments/experiment.js";

const folder = mkdtempSync(join(tmpdir(), "vouch-parts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const whole = { experiment: "toy/answer", scale: "paper", seed: 7 } as const;

/** Counts how often it is computed. */
function counted(value: number) {
  const calls = { count: 0 };
  const compute = async () => {
    calls.count++;
    return value;
  };
  return { calls, compute };
}

describe("finished parts", () => {
  it("are computed once, also after the run was ended and started again", async () => {
    const file = join(folder, "parts.json");
    const { calls, compute } = counted(42);
    const first = await finishedPartsIn(file, whole);
    expect(await partOf({ finished: first }, "a", z.number(), compute)).toBe(42);
    const again = await finishedPartsIn(file, whole);
    expect(await partOf({ finished: again }, "a", z.number(), compute)).toBe(42);
    expect(calls.count).toBe(1);
    await partOf({ finished: again }, "b", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("of an experiment are its data sets: a run that has them all computes nothing", async () => {
    const file = join(folder, "table.json");
    const name = "deep-cascades-perceptron/table-4-1";
    const { run } = experimentNamed(name);
    const inTable = { experiment: name, scale: "quick", seed: 7 } as const;
    const started = { ...completeRun({ seed: 7 }), scale: "quick" } as const;
    const first = await run({ ...started, finished: await finishedPartsIn(file, inTable) });
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).parts)).toEqual(["breastcancer", "ionosphere"]);
    const executor = { ...started.executor, map: () => Promise.reject(new Error("computed again")) };
    const again = await run({ ...started, executor, finished: await finishedPartsIn(file, inTable) });
    expect(again).toEqual(first);
    await expect(run({ ...started, executor })).rejects.toThrow("computed again");
  });

  it("are computed every time where none are kept", async () => {
    const { calls, compute } = counted(42);
    await partOf({}, "a", z.number(), compute);
    await partOf({}, "a", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("of what failed are not kept", async () => {
    const file = join(folder, "failed.json");
    const finished = await finishedPartsIn(file, whole);
    const failing = () => Promise.reject(new Error("out of memory"));
    await expect(partOf({ finished }, "a", z.number(), failing)).rejects.toThrow("out of memory");
    expect((await finishedPartsIn(file, whole)).get("a")).toBeUndefined();
  });

  it("of another run, or in another shape, are refused", async () => {
    const file = join(folder, "other.json");
    const finished = await finishedPartsIn(file, whole);
    await finished.add("a", "text");
    await expect(finishedPartsIn(file, { ...whole, seed: 8 })).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining("with seed 7"),
    });
    await expect(partOf({ finished }, "a", z.number(), async () => 1)).rejects.toMatchObject({
      code: "file/format",
      message: expect.stringContaining('The part "a" of an earlier run'),
    });
  });

  it("are never read from, or written over, something else", async () => {
    const file = join(folder, "data.csv");
    writeFileSync(file, "x,y\n");
    await expect(finishedPartsIn(file, whole)).rejects.toMatchObject({ code: "file/format" });
    expect(readFileSync(file, "utf8")).toBe("x,y\n");
    await expect(finishedPartsIn(folder, whole)).rejects.toMatchObject({ code: "file/read" });
    await expect(finishedPartsIn(join(folder, "none", "parts.json"), whole)).rejects.toMatchObject({
      code: expect.stringMatching(/^file\//),
    });
  });
});
