import { type DatasetEntry, listDatasets } from "@vouch/datasets";
import { describe, expect, it } from "vitest";
import { Desk } from "./vouch.js";

/** Cells of the sets that every run tests, apart from a large one with categories and one of many columns; `npm run nightly` tests all. */
const MOST_CELLS = 250_000;
const LARGER = ["adult", "a1a"];

function isTested({ name, files, features }: DatasetEntry): boolean {
  if (process.env.VOUCH_NIGHTLY || LARGER.includes(name)) return true;
  return features * files.reduce((sum, { rows }) => sum + rows, 0) <= MOST_CELLS;
}

/** In the folder of all data sets, if there is one on this machine; otherwise the shipped sets are tested. */
const desk = new Desk({ VOUCH_DATA: process.env.VOUCH_DATA });
const here = (await listDatasets())
  .filter(({ place, entry }) => place !== undefined && isTested(entry))
  .map(({ entry }) => entry);

/** Rows of the part that a finished model is applied to, and of the part that it is trained on. */
function partsOf({ files, split }: DatasetEntry): { training: number; other: number } {
  const tables = files.filter(({ labelsOnly }) => !labelsOnly);
  const rowsOf = (part: string) => tables.find((file) => file.part === part)?.rows ?? tables[0].rows;
  return split === "official"
    ? { training: rowsOf("train"), other: rowsOf("test") }
    : { training: tables[0].rows, other: tables[0].rows };
}

describe.concurrent("train, predict, evaluate and inspect", () => {
  it("are tested on the shipped sets at least", () => {
    const names = here.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["breastcancer", "ionosphere", "iris", "penguins"]));
  });

  it.each(here.map((entry) => [entry.name, entry] as const))(
    "%s",
    { timeout: 180_000 },
    async (name, entry) => {
      const model = `${name}.st`;
      const { training, other } = partsOf(entry);
      const commands = [
        [
          "train",
          name,
          "--learner",
          "adaboost",
          "--set",
          "rounds=2",
          "--no-calibrate",
          "--out",
          model,
          "--json",
        ],
        ["predict", model, name, "--quiet"],
        ["evaluate", model, name, "--json"],
        ["inspect", model],
      ];
      const texts = await Promise.all(commands.map((command) => desk.print(command)));
      const [, predictions, , inspected] = texts;
      const [trained, evaluation] = [JSON.parse(texts[0]), JSON.parse(texts[2])];
      expect(trained.data).toMatchObject({ name, rows: training, features: entry.features });
      expect(trained.data.classes).toBeLessThanOrEqual(entry.classes);
      expect(trained.certificates[0].value).toBeGreaterThanOrEqual(trained.error.test);
      expect(predictions.split("\n")).toHaveLength(other + 2);
      expect(evaluation.rows).toBe(other);
      expect(evaluation.confusion.matrix.flat().reduce((sum: number, cell: number) => sum + cell)).toBe(
        other,
      );
      if (entry.split === "official") expect(evaluation.error).toBe(trained.error.test);
      expect(inspected).toContain("adaboost");
      for (const text of [texts[0], texts[2], inspected]) {
        expect(text).not.toMatch(/\bNaN\b|undefined|\bnull\b/);
      }
    },
  );
});
