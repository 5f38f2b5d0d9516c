import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";
import { MESSY_FILES } from "./cases.js";
import { type SplitTable, toCsv } from "./real-table.js";

const desk = new Desk();
const LEARNER = ["--learner", "boosted-trees", "--set", "rounds=40"];

/** Errors on test rows of models that were trained on the table behind a file. */
const cleanErrors = new Map<SplitTable, Promise<number>>();

async function testError(name: string, file: string, clean: SplitTable, flags: readonly string[]) {
  const model = `${name}.safetensors`;
  const { code, output } = await desk.run(["train", file, ...LEARNER, ...flags, "--out", model]);
  if (code !== 0) return { code, output };
  const test = desk.file(`${name}.test.csv`, toCsv(clean.test));
  const { error } = await desk.json(["evaluate", model, test]);
  return { code, output, error: Number(error) };
}

function cleanError(clean: SplitTable): Promise<number> {
  const known = cleanErrors.get(clean);
  if (known) return known;
  const name = `clean-${cleanErrors.size}`;
  const target = clean.train.names.find((column) => ["label", "Survived"].includes(column)) ?? "label";
  const file = desk.file(`${name}.csv`, toCsv(clean.train));
  const error = testError(name, file, clean, ["--target", target]).then((run) => run.error ?? Number.NaN);
  cleanErrors.set(clean, error);
  return error;
}

describe("a model of a messy file", () => {
  it("is tested on at least 25 files", () => {
    expect(MESSY_FILES.length).toBeGreaterThanOrEqual(25);
  });

  it.each(MESSY_FILES.map((file) => [file.name, file] as const))(
    "%s",
    async (name, { clean, contents, flags = [], says, isWorse, refuses }) => {
      const run = await testError(name, desk.file(name, contents), clean, flags);
      const output = run.output.replaceAll(/\s+/g, " ");
      if (refuses) {
        expect(run.code, output).toBe(1);
        expect(output).toMatch(refuses);
        return;
      }
      expect(run.code, output).toBe(0);
      if (says) expect(output.split(/[✓✗?] /)[0]).toMatch(says);
      if (isWorse) return;
      const expected = await cleanError(clean);
      const rows = clean.test.rows.length;
      const standardError = Math.sqrt(Math.max(expected * (1 - expected), 1 / rows) / rows);
      expect(run.error, output).toBeLessThanOrEqual(expected + standardError);
    },
  );
});
