import type { DescriptionSection } from "@vouch/core/internal/learners/description";
import { trainingReport } from "@vouch/report";
import { predictionFacts, type TrainingFacts } from "@vouch/views/facts";
import { describe, expect, it } from "vitest";
import { confusionMatrix } from "vouch";
import { Matrix, Random } from "vouch/extend";
import { certificate, verdict } from "../../views/test/example-card.js";
import { bareReport, fullReport, leaf, predicted } from "./example-report.js";
import { parsed } from "./parsed.js";

const hostile = `<script>window.broken=1</script>"'><img src=x onerror="window.broken=1">&amp;`;

const hostileSections: readonly DescriptionSection[] = [
  {
    kind: "tree",
    title: hostile,
    root: {
      kind: "split",
      condition: hostile,
      rows: 3,
      facts: [{ name: hostile, value: hostile }],
      branches: [
        { outcome: hostile, node: leaf(1, hostile) },
        { outcome: hostile, node: { ...leaf(2, hostile), shares: [{ class: hostile, share: 1 }] } },
      ],
    },
  },
  {
    kind: "curve",
    title: hostile,
    step: hostile,
    quantity: "error",
    series: [{ role: "train", name: hostile, values: [0.5, 0.2] }],
  },
  { kind: "table", title: hostile, columns: [{ name: hostile }], rows: [[hostile]] },
  { kind: "importance", title: hostile, features: [{ name: hostile, share: 1 }] },
];

/** Replaces every text in a report by hostile text. */
function withHostileTexts(report: TrainingFacts): TrainingFacts {
  const { card } = report;
  return {
    ...report,
    title: hostile,
    card: {
      ...card,
      vouch: hostile,
      learner: hostile,
      data: { ...card.data, name: hostile },
      options: { [hostile]: hostile, nested: { [hostile]: [hostile] } },
      notices: [hostile],
      split: { drawn: "groups", group: hostile },
      heldOut: { rows: 9, errors: 1, groups: [{ rows: 3, errors: 1, groups: 3 }] },
      verdict: verdict({
        better: "no",
        baseline: { class: hostile, error: 0.5 },
        classes: [{ class: hostile, rows: 3, found: 1, predicted: 2 }],
        warnings: [
          { code: "leaking-column", message: hostile },
          { code: "not-converged", message: hostile },
        ],
      }),
      choice: {
        among: 1,
        candidates: [{ name: hostile, error: 0.1, rounds: 1, rows: 9, fate: "finished" }],
      },
    },
    periods: [{ from: 0, to: 1, rows: 3, errors: 1 }],
    command: hostile,
    data: {
      ...report.data,
      classes: [
        { name: "a", count: 1 },
        { name: hostile, count: 1 },
      ],
      columns: { [hostile]: 1 },
    },
    predictions: predictionFacts({ ...predicted, classes: ["a", hostile] }, report.decision, undefined),
    wrong: {
      total: 1,
      scoring: "probability",
      rows: [{ row: 1, actual: hostile, predicted: hostile, cells: { [hostile]: hostile } }],
    },
    fields: [{ name: hostile, kind: "categorical", levels: [hostile], typical: hostile }],
    importance: {
      metric: "log-loss",
      loss: 0.1,
      features: [{ feature: hostile, mean: 0.1, se: 0, sd: 0, p: 1, matters: false }],
      rows: 9,
      allRows: 9,
      repeats: 5,
      slow: false,
      on: "training",
    },
    effects: {
      texts: [],
      effects: [
        {
          column: hostile,
          kind: "categorical",
          points: [hostile, "b"].map((value) => ({ value, scores: [0.5, 0.5], se: [0, 0] })),
        },
      ],
      classes: ["a", hostile],
      shown: [0, 1],
      scoring: "decision",
    },
    examples: [
      {
        chosenAs: "uncertain",
        row: 1,
        actual: hostile,
        reasons: {
          of: hostile,
          unit: "margin",
          base: 0,
          score: 1,
          reasons: [{ column: hostile, value: hostile, contribution: 1, se: 0.1 }],
        },
      },
    ],
    fingerprint: hostile,
    evaluation: {
      ...report.evaluation,
      confusion: {
        classes: [hostile, "b"],
        matrix: [
          [1, 2],
          [3, 4],
        ],
      },
    },
    certificates: [
      certificate({
        name: hostile,
        reference: hostile,
        statement: hostile,
        reason: `${hostile}.`,
        premises: [{ text: hostile, status: "checked" }],
        terms: { [hostile]: 1 },
        parts: { [hostile]: 0.0736 },
      }),
    ],
    description: { facts: [{ name: hostile, value: hostile }], sections: hostileSections },
  };
}

const page = await trainingReport(fullReport);
const document = parsed(page);

const headings = (root: ParentNode, selector: string) =>
  [...root.querySelectorAll(selector)].map(({ textContent }) => textContent?.replaceAll("\u00a0", " "));

describe("the report of a training run", () => {
  it("shows first what a person must know, then what to try; the rest is folded", () => {
    expect(headings(document, ".part > h2")).toEqual([
      "Which classes does it confuse?",
      "Which rows does it get wrong?",
      "Which threshold?",
      "Which columns matter?",
    ]);
    expect(headings(document, ".fold > summary > h2")).toEqual([
      "How do the strongest columns act?",
      "Why does it decide so for single rows?",
      "Importance in training",
      "How good is it by mean cost?",
      "How often is it wrong?",
      "When it says 80%, is it right 80% of the time?",
      "How does it choose the class?",
      "What is guaranteed?",
      "When does it not answer?",
      "How good are its prediction sets?",
      "How clear are its decisions?",
      "How does it decide?",
      "What does each layer add?",
      "How did training go?",
      "What is the model made of?",
      "How was the learner chosen?",
      "What was it trained on?",
      "What else should you know?",
      "How can you reproduce the model?",
    ]);
    expect(document.querySelectorAll("details[open]")).toHaveLength(0);
    const { title, card } = fullReport;
    expect(Array.from(document.querySelectorAll("h1"), (one) => one.textContent)).toEqual([
      `${title} on ${card.data.name}`,
    ]);
    expect(document.querySelector("pre")?.textContent?.trim()).toBe(fullReport.command);
  });

  it("has no section without content", async () => {
    const bare = parsed(await trainingReport(bareReport));
    expect(headings(bare, "h2")).toEqual([
      "How often is it wrong?",
      "What is guaranteed?",
      "What was it trained on?",
      "How can you reproduce the model?",
    ]);
    expect(bare.body.textContent).toContain("No certificate");
  });

  it("warns where numbers were measured on training rows", async () => {
    const warnings = async (facts: TrainingFacts) => {
      const paragraphs = [...parsed(await trainingReport(facts)).querySelectorAll("p")];
      return paragraphs.filter(({ textContent }) => textContent?.includes("Measured on the training rows"))
        .length;
    };
    expect(await warnings(fullReport)).toBe(0);
    expect(await warnings({ ...fullReport, measuredOn: "training" })).toBe(2);
  });

  it("gives words to every figure", () => {
    const figures = [...document.querySelectorAll("figure svg[role=img]")];
    expect(figures.length).toBeGreaterThan(10);
    for (const figure of figures) expect(figure.getAttribute("aria-label")?.length).toBeGreaterThan(20);
  });

  it("is the same text each time", async () => {
    expect(await trainingReport(fullReport)).toBe(page);
  });

  it("survives numbers that are none", async () => {
    const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
    const report = await trainingReport({
      ...fullReport,
      card: {
        ...fullReport.card,
        error: { train: nan, test: nan, folds: [nan] },
        verdict: verdict({ error: nan, baseline: { class: "benign", error: nan } }),
        margins: [nan],
      },
      evaluation: {
        rows: 0,
        error: nan,
        accuracy: nan,
        balancedAccuracy: nan,
        macroF1: nan,
        auc: nan,
        logLoss: infinity,
        confusion: { classes: ["only"], matrix: [[0]] },
      },
      margins: [],
      description: {
        facts: [{ name: "norm", value: nan }],
        sections: [
          {
            kind: "curve",
            title: "error",
            step: "round",
            quantity: "error",
            series: [{ role: "train", name: "error", values: [nan, infinity] }],
          },
          { kind: "importance", title: "importance", features: [{ name: "size", share: nan }] },
        ],
      },
      certificates: [
        certificate({ value: infinity, terms: { deviation: infinity }, reason: "Too few rows." }),
      ],
    });
    const text = parsed(report).querySelector("main")?.textContent ?? "";
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    expect(text).toContain("No error was measured.");
    expect(text).toContain("∞");
  });
});

describe("the file", () => {
  it("escapes every text", async () => {
    const hostilePage = await trainingReport(withHostileTexts(fullReport));
    const shown = parsed(hostilePage);
    const data = "script[type='application/json']";
    expect(shown.querySelectorAll(`script:not(${data}), img`)).toHaveLength(0);
    expect(shown.querySelector("h1")?.textContent).toBe(`${hostile} on ${hostile}`);
    expect(hostilePage).not.toMatch(/<script>|<img/);
  });

  it("loads nothing", () => {
    const markup = page.replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(markup).not.toMatch(/https?:|\ssrc=|url\(|@import|@font-face|<script>/);
    expect(markup.match(/href="[^"]*"/g)).toEqual(['href="data:,"']);
  });
});

describe("a report for those who do not see it, or use no mouse", () => {
  it("has a language, a title and headings of which none skips a level", () => {
    expect(document.querySelector("html")?.getAttribute("lang")).toBe("en");
    expect(document.querySelector("title")?.textContent).toBe("AdaBoost on breastcancer: vouch report");
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) => Number(tagName[1]));
    expect(levels[0]).toBe(1);
    levels.slice(1).forEach((level, i) => {
      expect(level).toBeLessThanOrEqual(levels[i] + 1);
    });
  });

  it("has an address for each section", () => {
    const ids = [...document.querySelectorAll(".part, .fold")].map(({ id }) => id);
    expect(ids).toContain("what-is-guaranteed");
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("names whatever takes the focus, and what is drawn", () => {
    // A script moves the focus to regions with the index −1.
    for (const region of document.querySelectorAll("[tabindex]:not([tabindex='-1'])")) {
      expect(region.getAttribute("tabindex")).toBe("0");
      expect(region.getAttribute("aria-label")).toBeTruthy();
    }
    for (const drawing of document.querySelectorAll("svg, .parts, .bars i")) {
      expect(drawing.getAttribute("aria-label") ?? drawing.getAttribute("aria-hidden")).toBeTruthy();
    }
  });
});

describe("the size of a report", () => {
  it("stays below a megabyte with 50,000 test rows and a hundred classes that are all confused", async () => {
    const classes = Array.from({ length: 100 }, (_, c) => `class ${c}`);
    const rows = 50_000;
    const random = new Random(1);
    const labels = Int32Array.from({ length: rows }, (_, i) => i % 100);
    const predictions = Int32Array.from(labels, (label) =>
      random.uniform() < 0.7 ? label : random.integer(100),
    );
    const scores = new Matrix(
      rows,
      100,
      Float32Array.from({ length: rows * 100 }, (_, i) => (i * 0.618034) % 1),
    );
    const margins = Float64Array.from({ length: rows }, () => random.uniform());
    const many = { classes, labels, predictions, scores, scoring: "probability" as const };
    const evaluation = { ...fullReport.evaluation, confusion: confusionMatrix(many) };
    const { objective, ...card } = fullReport.card;
    const decision = { ...fullReport.decision, rule: { kind: "model" } as const };
    const facts = { ...fullReport, card, decision, evaluation, margins };
    const large = await trainingReport({ ...facts, predictions: predictionFacts(many, decision, undefined) });
    expect(large.length).toBeLessThan(1e6);
    expect(parsed(large).querySelectorAll("figure").length).toBeGreaterThan(8);
  });
});
