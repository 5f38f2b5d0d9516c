import { type TrainingReport, trainingReport } from "@vouch/report";
import { describe, expect, it } from "vitest";
import { Matrix, Random } from "vouch/learning";
import { confusionMatrix } from "vouch/select";
import { bareReport, certificate, fullReport } from "./example-report.js";
import { parsed } from "./parsed.js";

const hostile = `<script>window.broken=1</script>"'><img src=x onerror="window.broken=1">&amp;`;

/** The report with every text in it replaced by hostile text. */
function withHostileTexts(report: TrainingReport): TrainingReport {
  return {
    ...report,
    dataName: hostile,
    learner: hostile,
    options: { [hostile]: hostile, nested: { [hostile]: [hostile] } },
    command: hostile,
    version: hostile,
    data: { ...report.data, classes: [{ name: hostile, count: 1 }], columns: { [hostile]: 1 } },
    notices: [hostile],
    predicted: report.predicted && { ...report.predicted, classes: ["a", hostile] },
    cascade: {
      kind: "gate",
      points: 3,
      question: hostile,
      stay: { kind: "leaf", points: 1, classifier: hostile, right: 1, wrong: 0, pays: hostile },
      on: { kind: "leaf", points: 2, classifier: hostile, right: 1, wrong: 1, pays: hostile },
    },
    permutation: report.permutation && {
      ...report.permutation,
      features: [{ feature: hostile, mean: 0.1, sd: 0 }],
    },
    tried: [{ name: hostile, error: 0.1, rounds: 1, fate: hostile }],
    fingerprint: hostile,
    confusion: {
      classes: [hostile, "b"],
      matrix: [
        [1, 2],
        [3, 4],
      ],
    },
    curve: { step: hostile, series: [{ role: "train", name: hostile, values: [0.5, 0.2] }] },
    certificates: [
      certificate({
        name: hostile,
        reference: hostile,
        statement: hostile,
        reason: `${hostile}.`,
        premises: [{ statement: hostile, holds: true }],
        terms: { [hostile]: 1 },
        parts: { [hostile]: 0.0736 },
      }),
    ],
    importances: [{ feature: hostile, share: 1 }],
    structure: {
      facts: [{ label: hostile, value: hostile }],
      lists: [
        { name: hostile, headings: [hostile, hostile], rows: [[hostile, { shown: hostile }]], total: 1 },
      ],
    },
  };
}

describe("the report of a training run", () => {
  it("has a section for everything there is to say", () => {
    const document = parsed(trainingReport(fullReport));
    expect([...document.querySelectorAll("h2")].map(({ textContent }) => textContent)).toEqual([
      "Error, measured and certified",
      "How well it does",
      "Certificates",
      "Confusion matrix",
      "ROC and precision–recall",
      "Calibration",
      "Margins",
      "Importance of the columns",
      "Margins from layer to layer",
      "Training",
      "The cascade",
      "The model",
      "How it was chosen",
      "The data",
      "Notices",
      "Do it again",
    ]);
    expect(document.querySelectorAll("h1")).toHaveLength(1);
    expect(document.querySelector("pre")?.textContent?.trim()).toBe(fullReport.command);
  });

  it("has no section without content", () => {
    const document = parsed(trainingReport(bareReport));
    expect([...document.querySelectorAll("h2")].map(({ textContent }) => textContent)).toEqual([
      "Error, measured and certified",
      "How well it does",
      "Certificates",
      "The data",
      "Do it again",
    ]);
    expect(document.body.textContent).toContain("There is no certificate for this run.");
  });

  it("says of each figure that is about training rows that it flatters", () => {
    const flattered = (report: TrainingReport) =>
      trainingReport(report).split("which flatters the model").length - 1;
    expect(flattered(fullReport)).toBe(0);
    expect(flattered({ ...fullReport, measuredOn: "training" })).toBe(4);
  });

  it("gives words to every figure", () => {
    const figures = [...parsed(trainingReport(fullReport)).querySelectorAll("figure svg[role=img]")];
    // Four of them are drawn for two widths, two pairs once.
    expect(figures.length).toBe(4 * 2 + 2 * 2);
    for (const figure of figures) expect(figure.getAttribute("aria-label")?.length).toBeGreaterThan(20);
  });

  it("is the same text each time", () => {
    expect(trainingReport(fullReport)).toBe(trainingReport(fullReport));
  });

  it("survives numbers that are none", () => {
    const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
    const report = trainingReport({
      ...fullReport,
      error: { train: nan, test: nan, folds: [nan] },
      metrics: { accuracy: nan, balancedAccuracy: nan, macroF1: nan, auc: nan, logLoss: infinity },
      margins: { train: [nan], test: [] },
      curve: { step: "Round", series: [{ role: "train", name: "Error", values: [nan, infinity] }] },
      confusion: { classes: ["only"], matrix: [[0]] },
      importances: [{ feature: "size", share: nan }],
      certificates: [certificate({ value: infinity, terms: { deviation: infinity } })],
    });
    const text = parsed(report).querySelector("main")?.textContent ?? "";
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    expect(text).toContain("No error was measured.");
    expect(text).toContain("∞");
  });
});

describe("the headline", () => {
  const headline = (report: TrainingReport) =>
    parsed(trainingReport(report)).querySelector(".headline")?.textContent;

  it("is the statement of the first certificate that gives a guarantee: the one to quote", () => {
    const certificates = [
      certificate({ value: 0.01, holds: false, statement: "broken" }),
      certificate({ value: 0.3, statement: "quoted" }),
      certificate({ value: 0.2, statement: "smaller" }),
    ];
    expect(headline({ ...bareReport, certificates })).toBe("quoted");
  });

  it("says that there is no guarantee where there is none", () => {
    const certificates = [certificate({ value: Number.POSITIVE_INFINITY })];
    expect(headline({ ...bareReport, certificates })).toContain("No certificate");
    expect(headline({ ...bareReport, error: { train: 0, test: 0.25 } })).toContain(
      "25.0\u00a0% of the held-out rows",
    );
  });
});

describe("the certificates", () => {
  it("say in words whether premises hold, and how certain all are together", () => {
    const failing = { statement: "Independent rows.", holds: false };
    const certificates = [
      certificate({ confidence: 0.95 }),
      certificate({ confidence: 0.99 }),
      certificate({ holds: false, premises: [failing], reason: "They are not.", statement: "No guarantee." }),
    ];
    const text = parsed(trainingReport({ ...bareReport, certificates })).querySelector("main")?.textContent;
    expect(text).toContain("✗ fails: Independent rows.");
    expect(text).toContain("✗ one premise fails");
    expect(text).toContain("No guarantee. They are not.");
    expect(text).toContain(
      "All 2 that give a guarantee are true together with a confidence of at least 94\u00a0%",
    );
  });
});

describe("the file", () => {
  it("escapes every text", () => {
    const page = trainingReport(withHostileTexts(fullReport));
    const document = parsed(page);
    expect(document.querySelectorAll("script, img")).toHaveLength(0);
    expect(document.querySelector("h1")?.textContent).toBe(`${hostile} on ${hostile}`);
    expect(page).not.toMatch(/<script|<img/);
  });

  it("loads nothing", () => {
    const page = trainingReport(fullReport).replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(page).not.toMatch(/https?:|\ssrc=|url\(|@import|@font-face|<script/);
    const addresses = page.match(/href="[^"]*"/g) ?? [];
    expect(addresses.filter((address) => !address.startsWith('href="#'))).toEqual(['href="data:,"']);
  });
});

describe("a report for those who do not see it, or use no mouse", () => {
  const document = parsed(trainingReport(fullReport));

  it("has a language, a title and headings of which none skips a level", () => {
    expect(document.querySelector("html")?.getAttribute("lang")).toBe("en");
    expect(document.querySelector("title")?.textContent).toBe("adaboost on breastcancer: vouch report");
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) => Number(tagName[1]));
    expect(levels[0]).toBe(1);
    levels.slice(1).forEach((level, i) => {
      expect(level).toBeLessThanOrEqual(levels[i] + 1);
    });
  });

  it("links to all its sections, in their order", () => {
    const links = [...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href"));
    const sections = [...document.querySelectorAll("main > section")].map(({ id }) => `#${id}`);
    expect(links).toEqual(sections);
    expect(new Set(links).size).toBe(links.length);
  });

  it("names whatever takes the focus, and what is drawn", () => {
    for (const region of document.querySelectorAll("[tabindex]")) {
      expect(region.getAttribute("tabindex")).toBe("0");
      expect(region.getAttribute("aria-label")).toBeTruthy();
    }
    for (const drawing of document.querySelectorAll("svg, .parts, .bars i")) {
      expect(drawing.getAttribute("aria-label") ?? drawing.getAttribute("aria-hidden")).toBeTruthy();
    }
  });
});

describe("the size of a report", () => {
  it("stays below a megabyte with 50,000 test rows and a hundred classes that are all confused", () => {
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
    const predicted = { classes, labels, predictions, scores, scoring: "probability" as const };
    const confusion = confusionMatrix(predicted);
    const page = trainingReport({
      ...fullReport,
      predicted,
      confusion,
      margins: { train: margins, test: margins },
    });
    expect(page.length).toBeLessThan(1e6);
    expect(parsed(page).querySelectorAll("figure").length).toBeGreaterThan(8);
  });
});
