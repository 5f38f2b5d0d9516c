import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSettings } from "@vouch/core/internal/learners/settings";
import { afterAll, describe, expect, it } from "vitest";
import { learnerNamed, Table, type Training, trainClassifier } from "vouch";
import { VerdictPanel } from "#views/panels/verdict/verdict-panel.js";
import { bareCard, certificate, verdict } from "./example-card.js";
import { rendered, textOf, texts } from "./rendered.js";

function panelOf(changes: Parameters<typeof verdict>[0] = {}): Document {
  return rendered(<VerdictPanel card={{ ...bareCard, verdict: verdict(changes) }} quoted={certificate()} />);
}

const repeated = { code: "repeated-rows", message: "9 of 10 rows repeat training rows." } as const;
const few = { code: "too-few-rows", message: "10 rows are too few." } as const;

describe("a rare class", () => {
  const classes = [
    { class: "no", rows: 196, found: 196, predicted: 200 },
    { class: "yes", rows: 4, found: 0, predicted: 0 },
  ];

  it("comes with advice, in the words of the page if it has its own", () => {
    const panel = panelOf({ classes }).body.textContent ?? "";
    expect(panel).toContain('Class "yes" has only 2.0% of the rows: the model finds 0 of 4.');
    expect(panel).toContain(
      'To rank rows, train for the AUC; to find more of "yes", give a missed one the cost 49; to answer only where at most 1% are wrong, let the model abstain.',
    );
    const card = { ...bareCard, verdict: verdict({ classes }) };
    const own = rendered(
      <VerdictPanel
        card={card}
        quoted={certificate()}
        describeAdvice={({ other }, { cost }) => `Write ${cost} beside ${other}.`}
      />,
    ).body.textContent;
    expect(own).toContain("the model finds 0 of 4. Write 49 beside no.");
    expect(own).not.toContain("To rank rows");
  });
});

describe("the mark of a verdict", () => {
  it.each([
    ["yes", [], "✓"],
    ["yes", [few], "✓"],
    ["yes", [repeated], "!"],
    ["unclear", [], "?"],
    ["unclear", [repeated], "?"],
    ["no", [repeated], "✗"],
  ] as const)("for %s and %j is %s", (better, warnings, mark) => {
    const panel = panelOf({ better, warnings: [...warnings] });
    expect(texts(panel, ".mark")).toEqual([mark]);
    expect(panel.querySelectorAll(".warnings li")).toHaveLength(warnings.length);
  });

  it("comes with grave warnings before everything else, and the others at the end", () => {
    const text = panelOf({ warnings: [few, repeated] }).body.textContent ?? "";
    const order = ["better than", repeated.message, "malignant", "With 95", few.message];
    const places = order.map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(texts(panelOf({ warnings: [few, repeated] }), ".grave")).toEqual([
      `! Warning: ${repeated.message}`,
    ]);
  });
});

describe("a model that abstains", () => {
  const rule = {
    threshold: 0.9,
    asked: 0.05,
    target: 0.05,
    confidence: 0.95,
    thresholds: 1,
    counts: { rows: 100, answered: 100, errors: 0 },
  };
  const words = (changes: Partial<typeof rule> | { threshold: null } = {}) => {
    const card = { ...bareCard, verdict: verdict() };
    const abstention = { ...rule, ...changes };
    const panel = rendered(<VerdictPanel card={card} quoted={certificate()} abstention={abstention} />);
    return texts(panel, ".abstains")[0];
  };

  it("says what its answers keep, and how many there are", () => {
    // All of 100 rows are answered: (1 − p)¹⁰⁰ = 5% at p = 2.95%.
    expect(words()).toBe(
      "It abstains when unsure: at most 5.0% of its answers are wrong, and it answers at least 97.0% of new cases, with 95% confidence each. The other numbers count every row.",
    );
    expect(words({ target: 0.11 })).toContain("at most 11.0% of its answers are wrong (5% was asked for)");
    expect(words({ threshold: null })).toContain("It answers every row");
  });
});

describe("what is found of each class", () => {
  it("is drawn as fractions of the rows of the class", () => {
    const panel = panelOf();
    expect(texts(panel, ".bars b")).toEqual(["90 of 92 · 97.8%", "45 of 48 · 93.8%"]);
    const lengths = [...panel.querySelectorAll(".bars u")].map((bar) => bar.getAttribute("style"));
    expect(lengths).toEqual(["--length:97.8%", "--length:93.8%"]);
  });

  it("is limited to the worst and the best of many classes", () => {
    const classes = Array.from({ length: 26 }, (_, i) => ({
      class: `c${(7 * i) % 26}`,
      rows: 100,
      found: 50 + ((7 * i) % 26),
      predicted: 100,
    }));
    const panel = panelOf({ classes });
    expect(texts(panel, ".bars span")).toEqual(["c0", "c1", "c2", "c3", "c22", "c23", "c24", "c25"]);
    expect(texts(panel, ".label")[0]).toContain("the 4 worst and the 4 best of 26 classes");
  });
});

describe("the first screen without a verdict", () => {
  it("says that the error was not measured on new rows, and quotes a certificate if there is one", () => {
    const panel = rendered(<VerdictPanel card={bareCard} />);
    expect(texts(panel, ".headline")).toEqual(["? The error was not measured on new rows."]);
    expect(panel.body.textContent).toContain("No certificate bounds the error");
    const quoted = certificate({ statement: "With 95% confidence at most 30%." });
    const quoting = rendered(<VerdictPanel card={bareCard} quoted={quoted} />);
    expect(texts(quoting, ".proven")).toEqual([quoted.statement]);
  });

  it("says that folds are an estimate", () => {
    const card = { ...bareCard, verdict: verdict({ measuredOn: "folds", classes: undefined }) };
    const text = textOf(<VerdictPanel card={card} />);
    expect(text).toContain("errors in cross-validation");
    expect(text).toContain("errors in folds are an estimate");
  });
});

describe("the verdict on models of customers who leave", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-churn-"));
  const script = fileURLToPath(new URL("../../../examples/churn.mjs", import.meta.url));
  const made = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Reads one of the files: they have no quotes. */
  function read(name: string): Table {
    const [header, ...lines] = readFileSync(join(folder, name), "utf8").trim().split("\n");
    const names = header.split(",");
    const records = lines.map((line) =>
      Object.fromEntries(line.split(",").map((cell, c) => [names[c], cellOf(cell)])),
    );
    return Table.fromRecords(name, records);
  }

  function cellOf(cell: string): string | number | null {
    if (cell === "") return null;
    return Number.isNaN(Number(cell)) ? cell : Number(cell);
  }

  async function firstScreen(name: string): Promise<{ training: Training; header: Document }> {
    expect(made.status, made.stderr).toBe(0);
    const table = read(name);
    const forest = await learnerNamed("forest");
    const learner = forest.create(parseSettings(forest, ["trees=12"]));
    const training = await trainClassifier(table, learner, { holdout: 0.2, run: { seed: 1 } });
    const { classifier, certificates } = training;
    const header = rendered(<VerdictPanel card={classifier.card} quoted={certificates[0]} />);
    return { training, header };
  }

  function yes({ verdict }: Training) {
    const found = verdict?.classes?.find((one) => one.class === "Yes");
    return `${found?.found} of ${found?.rows}`;
  }

  it("does not call a weak model better, and shows how few who leave it finds", async () => {
    const { training, header } = await firstScreen("churn.csv");
    expect(texts(header, ".mark")[0]).toMatch(/[?✗]/);
    expect(texts(header, ".headline")[0]).toMatch(
      /(No better than|Not shown to be better than) always answering “No”/,
    );
    const bars = texts(header, ".bars b");
    expect(bars.some((bar) => bar.startsWith(`${yes(training)} · `))).toBe(true);
    const found = training.verdict?.classes?.find((one) => one.class === "Yes");
    expect((found?.found ?? 1) / (found?.rows ?? 1)).toBeLessThan(0.3);
    expect(texts(header, ".grave")).toEqual([]);
    expect(texts(header, ".proven")).toEqual([training.certificates[0].statement]);
  });

  it("is about new rows if held-out rows repeat training rows", async () => {
    const { training, header } = await firstScreen("churn-repeated.csv");
    expect(texts(header, ".mark")).not.toContain("✓");
    expect(texts(header, ".headline")[0]).toContain("errors on new rows");
    expect(texts(header, ".grave")[0]).toMatch(
      /of 600 held-out rows repeat training rows: .* on the \d+ new rows/,
    );
    expect(texts(header, ".label")).toEqual(["New rows of each class that it finds"]);
    expect(texts(header, ".bars b").some((bar) => bar.startsWith(`${yes(training)} · `))).toBe(true);
    expect(texts(header, ".proven")[0]).toContain("new cases that equal no training row");
  });

  it("doubts a model that knows a leaking column", async () => {
    const { header } = await firstScreen("churn-leak.csv");
    expect(texts(header, ".mark")).toEqual(["!"]);
    expect(texts(header, ".headline")[0]).toContain("In doubt: better than always answering");
    expect(texts(header, ".grave")[0]).toContain('The column "account_status" alone predicts the class');
  });
});
