import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { experimentNamed, openPartialResults } from "@vouch/experiments";
import { afterAll, describe, expect, it } from "vitest";
import { completeRun } from "vouch/learning";
import { z } from "zod";
import { partOf } from "#experiments/experiment.js";

const folder = mkdtempSync(join(tmpdir(), "vouch-parts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const origin = { experiment: "toy/answer", scale: "paper", seed: 7 } as const;

/** Counts how often it is computed. */
function counted(value: number) {
  const calls = { count: 0 };
  const compute = async () => {
    calls.count++;
    return value;
  };
  return { calls, compute };
}

describe("partial results", () => {
  it("are computed once, also if the run is interrupted and resumed", async () => {
    const file = join(folder, "parts.json");
    const { calls, compute } = counted(42);
    const first = await openPartialResults(file, origin);
    expect(await partOf({ partial: first }, "a", z.number(), compute)).toBe(42);
    const again = await openPartialResults(file, origin);
    expect(await partOf({ partial: again }, "a", z.number(), compute)).toBe(42);
    expect(calls.count).toBe(1);
    await partOf({ partial: again }, "b", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("have a part for each data set, and a run that has them all computes nothing", async () => {
    const file = join(folder, "table.json");
    const name = "deep-cascades-perceptron/table-4-1";
    const { run } = experimentNamed(name);
    const ofTable = { experiment: name, scale: "quick", seed: 7 } as const;
    const started = { ...completeRun({ seed: 7 }), scale: "quick" } as const;
    const first = await run({ ...started, partial: await openPartialResults(file, ofTable) });
    expect(Object.keys(JSON.parse(readFileSync(file, "utf8")).parts)).toEqual(["breastcancer", "ionosphere"]);
    const executor = { ...started.executor, map: () => Promise.reject(new Error("computed again")) };
    const again = await run({ ...started, executor, partial: await openPartialResults(file, ofTable) });
    expect(again).toEqual(first);
    await expect(run({ ...started, executor })).rejects.toThrow("computed again");
  });

  it("are computed every time without a file", async () => {
    const { calls, compute } = counted(42);
    await partOf({}, "a", z.number(), compute);
    await partOf({}, "a", z.number(), compute);
    expect(calls.count).toBe(2);
  });

  it("have no part for a computation that failed", async () => {
    const file = join(folder, "failed.json");
    const partial = await openPartialResults(file, origin);
    const failing = () => Promise.reject(new Error("out of memory"));
    await expect(partOf({ partial }, "a", z.number(), failing)).rejects.toThrow("out of memory");
    expect((await openPartialResults(file, origin)).get("a")).toBeUndefined();
  });

  it("of another run or with another schema are refused", async () => {
    const file = join(folder, "other.json");
    const partial = await openPartialResults(file, origin);
    await partial.add("a", "text");
    await expect(openPartialResults(file, { ...origin, seed: 8 })).rejects.toMatchObject({
      code: "option/invalid",
      message: expect.stringContaining("with seed 7"),
    });
    await expect(partOf({ partial }, "a", z.number(), async () => 1)).rejects.toMatchObject({
      code: "file/format",
      message: expect.stringContaining('The part "a" of an earlier run'),
    });
  });

  it("never overwrite a file of another kind", async () => {
    const file = join(folder, "data.csv");
    writeFileSync(file, "x,y\n");
    await expect(openPartialResults(file, origin)).rejects.toMatchObject({ code: "file/format" });
    expect(readFileSync(file, "utf8")).toBe("x,y\n");
    await expect(openPartialResults(folder, origin)).rejects.toMatchObject({ code: "file/read" });
    await expect(openPartialResults(join(folder, "none", "parts.json"), origin)).rejects.toMatchObject({
      code: expect.stringMatching(/^file\//),
    });
  });
});
