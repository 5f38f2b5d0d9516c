import { listDatasets } from "@vouch/datasets";
import { describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** Raw categories and numbers, some cells of each missing. */
function withMissingCells(csv: string): string {
  const [header, ...rows] = csv.trimEnd().split("\n");
  const holes = rows.map((row, i) => {
    const cells = row.split(",");
    if (i % 5 === 0) cells[i % 3] = "";
    if (i % 17 === 0) cells.fill("", 0, 3);
    return cells.join(",");
  });
  return `${[header, ...holes].join("\n")}\n`;
}

describe.concurrent.each(["forest", "random-trees"])("%s", (learner) => {
  it("trains on raw categories and missing cells, tells, predicts and reports", async () => {
    desk.file(`${learner}.csv`, withMissingCells(flowersCsv(400, 3)));
    desk.file(`${learner}-new.csv`, withMissingCells(flowersCsv(60, 4)));
    const [model, report] = [`${learner}.st`, `${learner}.html`];
    const args = ["--learner", learner, "--set", "trees=20", "--set", "bootstrap=true"];
    const trained = await desk.json([
      ...["train", `${learner}.csv`, ...args],
      ...["--out", model, "--report", report],
    ]);
    expect(trained.error.test).toBeLessThan(0.3);
    expect(trained.notices.join()).toMatch(/Out-of-bag error.*\d%.*training rows/);

    const inspected = await desk.print(["inspect", model]);
    expect(inspected).toMatch(/^ *trees +20$/m);
    expect(inspected).toMatch(/^ *out-of-bag error +\d[\d.]*%/m);
    expect(inspected).toMatch(/^ *length +\d[\d.]*%$/m);
    const { description, complexity } = await desk.json(["inspect", model]);
    const [{ features }] = description.sections.filter(({ kind }: { kind: string }) => kind === "importance");
    const shares = features.map(({ share }: { share: number }) => share);
    expect(shares.reduce((sum: number, share: number) => sum + share)).toBeCloseTo(1, 9);
    expect(complexity.counts).toMatchObject({ trees: 20, features: 3 });

    const predictions = await desk.print(["predict", model, `${learner}-new.csv`, "--scores"]);
    const [header, ...rows] = predictions.trimEnd().split("\n");
    expect(header).toContain("score:rose");
    expect(rows).toHaveLength(60);

    const page = desk.read(report);
    const asked = page.slice(page.indexOf("Importance in training"));
    const place = (column: string) => asked.indexOf(`<span title="${column}">`);
    expect(place("length")).toBeGreaterThan(0);
    expect(place("length")).toBeLessThan(place("colour"));
  });

  it("refuses a forest of zero trees", async () => {
    const text = await desk.fault(2, ["train", "iris", "--learner", learner, "--set", "trees=0"]);
    expect(text).toContain(`${learner}: trees must be a whole number from 1 to 100000, not 0.`);
  });
});

/** The set is not shipped: it is tested where it is. */
const adult = (await listDatasets()).find(({ entry, place }) => entry.name === "adult" && place);

it.runIf(adult)("adult as it is, from training to prediction", async () => {
  const env = { VOUCH_DATA: process.env.VOUCH_DATA };
  const args = ["--learner", "forest", "--set", "trees=20", "--out", "adult.st"];
  const trained = await desk.json(["train", "adult", ...args], { env });
  expect(trained.error.test).toBeLessThan(0.16);
  const evaluation = await desk.json(["evaluate", "adult.st", "adult"], { env });
  expect(evaluation.error).toBe(trained.error.test);
  const predictions = await desk.print(["predict", "adult.st", "adult", "--quiet"], { env });
  expect(predictions.trimEnd().split("\n")).toHaveLength(evaluation.rows + 1);
});
