import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();
const churn = fileURLToPath(new URL("../../../../examples/churn.mjs", import.meta.url));
execFileSync(process.execPath, [churn, desk.path]);

const train = (file: string, ...args: string[]) => [
  "train",
  file,
  "--learner",
  "boosted-trees",
  "--no-calibrate",
  "--out",
  "churn.st",
  ...args,
];

/** The lines of the verdict: those after the summary of the data, up to the next empty line, joined. */
async function firstLines(args: string[]): Promise<string> {
  const text = await desk.print(args);
  return (text.split("\n\n")[1] ?? "").replaceAll(/\s*\n\s*/g, " ");
}

describe("the verdict of vouch train", () => {
  it("says first that a model is no better than always answering the most common class", async () => {
    const verdict = await firstLines(train("churn.csv"));
    expect(verdict).toMatch(
      /^(✗ No better than|\? Not shown to be better than) always answering "No": [\d.]+% errors on held-out rows instead of [\d.]+%/,
    );
    expect(verdict).toMatch(/It finds \d+ of \d+ "No" and \d+ of \d+ "Yes"\./);
    expect(verdict).toMatch(/With 95% confidence at most [\d.]+% of new cases like these are misclassified/);
    const json = await desk.json(train("churn.csv"));
    expect(Object.keys(json).slice(0, 2)).toEqual(["verdict", "baseline"]);
    expect(json.verdict.better).not.toBe("yes");
    const yes = json.verdict.classes.find((one: { class: string }) => one.class === "Yes");
    expect(yes.found / yes.rows).toBeLessThan(0.35);
    expect(json.baseline).toMatchObject({ class: "No" });
    expect(json.baseline.error - json.verdict.error).toBeCloseTo(json.verdict.gain, 12);
    expect(json.measures).toMatchObject({ rows: 400, brier: expect.any(Number), auc: expect.any(Number) });
  });

  it("is about new rows if held-out rows repeat training rows", async () => {
    const verdict = await firstLines(train("churn-repeated.csv"));
    expect(verdict).toMatch(/errors on new rows instead of/);
    expect(verdict).toMatch(
      /! \d+ of 600 held-out rows repeat training rows: the error is [\d.]+% on them and [\d.]+% on the \d+ new rows, [\d.]+% if equal rows count once\./,
    );
    expect(verdict).toMatch(/at most [\d.]+% of new cases that equal no training row are misclassified/);
    const { verdict: judged, certificates, error } = await desk.json(train("churn-repeated.csv"));
    expect(judged).toMatchObject({ measuredOn: "new rows", warnings: [{ code: "repeated-rows" }] });
    expect(judged.error).toBeGreaterThan(error.test + 0.05);
    expect(certificates[0]).toMatchObject({ name: "held-out-new-rows", holds: true });
    // The certificate covers the error on fresh rows, which are like those of the file without repeats.
    expect(certificates[0].value).toBeGreaterThan(0.2);
  });

  it("warns of a column that leaks the class", async () => {
    const verdict = await firstLines(train("churn-leak.csv"));
    expect(verdict).toMatch(/^! In doubt: better than always answering "No"/);
    expect(verdict).toContain('! The column "account_status" alone predicts the class');
    const { verdict: judged } = await desk.json(train("churn-leak.csv"));
    expect(judged.warnings[0]).toMatchObject({ code: "leaking-column" });
    const without = await desk.json(train("churn-leak.csv", "--ignore", "account_status"));
    expect(without.verdict.warnings).toEqual([]);
    expect(without.verdict.better).not.toBe("yes");
  });

  it("is what docs/trust.md and docs/warnings.md quote", async () => {
    const read = (name: string) =>
      readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), "utf8");
    const page = `${read("trust")}\n${read("warnings")}`;
    const quotes = Array.from(page.matchAll(/^```\n(.*?)^```$/gms), ([, text]) => text);
    const files = ["churn.csv", "churn-repeated.csv", "churn-leak.csv"];
    expect(quotes.filter((text) => !text.startsWith("vouch "))).toHaveLength(files.length);
    for (const [i, text] of quotes.filter((text) => !text.startsWith("vouch ")).entries()) {
      const printed = await desk.print(["train", files[i], "--learner", "forest", "--out", "quoted.st"]);
      const timeless = (lines: string) => lines.replaceAll(/ in [\d.]+ \w+$/gm, "");
      expect(timeless(printed)).toContain(timeless(text).trimEnd());
    }
  });

  it("is in the model file, and evaluate says it of other rows", async () => {
    await desk.print(train("churn.csv"));
    const card = await desk.json(["inspect", "churn.st"]);
    expect(card.verdict.baseline.class).toBe("No");
    const fresh = await desk.json(["evaluate", "churn.st", "churn.csv", "--quiet"]);
    expect(fresh.verdict).toMatchObject({ measuredOn: "rows" });
    expect(fresh.baseline.class).toBe("No");
    expect(fresh.brier).toBeGreaterThan(0);
  });
});

describe("the number of candidates", () => {
  it("is carried from select to the certificates of the model and to the printed command", async () => {
    const selecting = [
      "select",
      "iris",
      "--learner",
      "stump",
      "--learner",
      "adaboost",
      "--grid",
      "rounds=2,3",
    ];
    await desk.json([...selecting, "--folds", "3", "--out", "chosen.st"]);
    const { certificates } = await desk.json(["certify", "chosen.st"]);
    expect(certificates.length).toBeGreaterThan(0);
    for (const { terms } of certificates) {
      expect(terms["candidates with a share of δ"] ?? terms.candidates).toBeGreaterThanOrEqual(2);
    }
    const again = [
      "train",
      "iris",
      "--learner",
      "stump",
      "--folds",
      "3",
      "--chosen-among",
      "7",
      "--out",
      "again.st",
    ];
    const json = await desk.json(again);
    expect(json.command).toContain(" --chosen-among 7 ");
    expect(json.certificates.at(-1).terms["candidates with a share of δ"]).toBe(7);
  });
});

it("a rare class is named, with the flags that help", async () => {
  const rows = Array.from(
    { length: 1000 },
    (_, i) => `${i % 97},${(i * 7) % 31},${i % 40 === 0 ? "yes" : "no"}`,
  );
  desk.file("rare.csv", ["a,b,label", ...rows].join("\n"));
  const text = await desk.print([
    "train",
    "rare.csv",
    "--learner",
    "logistic",
    "--stratify",
    "-o",
    "rare.st",
  ]);
  const plain = text.replaceAll(/\s+/g, " ");
  expect(plain).toContain('Class "yes" has only 2.5% of the rows: the model finds 0 of 5.');
  expect(plain).toContain(
    "To rank rows, train with --metric auc; to weigh missed rows, with --cost yes:no=39; to answer only where at most 1% are wrong, with --abstain 1%.",
  );
  const inFolds = await desk.print(["train", "rare.csv", "-l", "logistic", "--folds", "3", "-o", "rare.st"]);
  expect(inFolds.replaceAll(/\s+/g, " ")).toContain(
    "finds 0 of 25. To rank rows, train with --metric auc; to weigh missed rows, with --cost yes:no=39.",
  );
  const ranked = await desk.print([
    "train",
    "rare.csv",
    "-l",
    "logistic",
    "--metric",
    "auc",
    "-o",
    "rare.st",
  ]);
  expect(ranked).not.toContain("To rank rows");
});
