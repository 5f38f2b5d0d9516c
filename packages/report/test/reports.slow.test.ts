import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSettings } from "@vouch/core/internal/learners/settings";
import { renderReport } from "@vouch/report";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allLearners, learnerNamed, Table, type TrainOptions, trainClassifier } from "vouch";
import { Random } from "vouch/extend";
import {
  beyondSides,
  hasBrowser,
  startBrowser,
  unfold,
  type WatchedPage,
  watch,
} from "../../../scripts/test-browser.js";
import { parsed } from "./parsed.js";

const learners = await allLearners();

/** Values that no page should show. */
const STRAY = /\bNaN\b|\bundefined\b|\bInfinity\b|\[object/;

/** Names that pages have to cope with: markup, quotes, very long, emoji, from right to left. */
const names = [
  `<img src=x onerror="document.title='broken'"> & 'co' "`,
  `👩‍🔬 ${"verylongnamewithoutanyspace".repeat(8)}`,
  "אדום",
];

/** Settings with which a learner takes a moment. */
const quick: Readonly<Record<string, readonly string[]>> = {
  adaboost: ["rounds=6"],
  "boosted-trees": ["rounds=5"],
  forest: ["trees=6"],
  "random-trees": ["trees=6"],
  mlp: ["layers=4", "epochs=4"],
  sae: ["layers=3", "epochs=3", "pretrainEpochs=2"],
  dbn: ["layers=3", "epochs=3", "pretrainEpochs=2"],
  "cascade-forest": ["trees=3", "layers=2"],
  gcforest: ["trees=3", "layers=2"],
  mddf: ["trees=3", "layers=2"],
  ensemble: ["members=tree,logistic,stump", "folds=2"],
  "deep-cascade": ["maxDepth=2"],
  "deep-cascade-svm": ["maxDepth=2", "cFolds=2"],
  "deep-cascade-perceptron": ["maxDepth=2"],
};

/** A further column: its cell in a row. */
type ExtraColumn = (row: number) => Readonly<Record<string, string>>;

/** Every second day of 2024 from 4 January. */
const ofDay: ExtraColumn = (row) => ({
  day: new Date(Date.UTC(2024, 0, 4 + 2 * row)).toISOString().slice(0, 10),
});

const ofPatient: ExtraColumn = (row) => ({ patient: `P${row % 20}` });

/** Rows of so many classes that differ in their means, with a category and missing cells. */
function tableOf(classes: number, rows = 90, extra: ExtraColumn = () => ({})): Table {
  const random = new Random(classes);
  const records = Array.from({ length: rows }, (_, i) => {
    const label = i % classes;
    return {
      ...extra(i),
      length: i % 17 === 0 ? null : label + random.normal(),
      width: label - random.normal(),
      colour: ["red", "white", "blue"][random.integer(3)],
      label: names[label] ?? `class ${label}`,
    };
  });
  return Table.fromRecords("a <table> & more", records);
}

/** What to train on, and how. */
interface ReportedOptions extends TrainOptions {
  readonly classes?: number;
  readonly settings?: readonly string[];
  readonly extra?: ExtraColumn;
}

/** The report of a model that is trained on a table. */
async function reported(
  name: string,
  { classes, settings = quick[name] ?? [], extra, ...options }: ReportedOptions = {},
): Promise<string> {
  const kind = await learnerNamed(name);
  const table = tableOf(classes ?? (kind.multiclass ? 3 : 2), 90, extra);
  const training = await trainClassifier(table, kind.create(parseSettings(kind, settings)), options);
  return renderReport(training, table, { command: "vouch train 'it''s data.csv'" });
}

describe.skipIf(!hasBrowser)("the reports of all kinds of models in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-reports-"));
  let browser: Browser;
  let page: Page;
  let watched: WatchedPage;

  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme: "dark" });
    watched = watch(page);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** Models whose pictures differ on a wide page; what fits a phone fits it otherwise, too. */
  const DRAWN_WIDE = ["tree", "deep-cascade", "relaxed-hierarchy", "mddf", "many"];

  /** Opens a report and looks at it at the width of a phone, in dark, and if need be of a desk, in light. */
  async function look(name: string, report: string): Promise<void> {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, report);
    const { complaints, requests } = watched;
    complaints.length = 0;
    requests.length = 0;
    const address = pathToFileURL(file).href;
    await page.goto(address);
    // The model of every learner answers in the page.
    await page.locator(".answer .predicted").waitFor();
    await unfold(page);
    const screens = [
      [390, "dark", "rgb(20, 24, 29)"],
      [1280, "light", "rgb(255, 255, 255)"],
    ] as const;
    for (const [width, colorScheme, colour] of DRAWN_WIDE.includes(name) ? screens : screens.slice(0, 1)) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      expect(await beyondSides(page), `${name}, ${width}`).toEqual([]);
      expect(await page.evaluate("getComputedStyle(document.body).backgroundColor"), name).toBe(colour);
    }
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
    const text = await page.locator("main").innerText();
    expect(text).not.toMatch(STRAY);
    expect(await page.title()).not.toBe("broken");
    expect(await page.locator("img").count()).toBe(0);
  }

  it.each(learners.map(({ name }) => name))("%s", async (name) => {
    const report = await reported(name, { holdout: 0.3 });
    expect(report.length).toBeLessThan(2e6);
    await look(name, report);
  });

  it("of many classes", async () => {
    await look("many", await reported("forest", { holdout: 0.4, classes: 40 }));
  });

  it("without held-out rows", async () => {
    const report = await reported("forest", { folds: 3 });
    expect(report).toContain("Measured on the training rows");
    await look("folds", report);
  });

  it("with a test on the latest rows, and on groups", async () => {
    const dated = await reported("forest", { holdout: 0.5, time: "day", extra: ofDay });
    await look("time", dated);
    expect(dated).toContain("<h2>Does the error change over time?</h2>");
    expect(dated).toContain("3 Apr 2024");
    expect(dated).toContain("45 rows were held out for testing: the latest ones by “day”.");
    const grouped = await reported("forest", { holdout: 0.3, group: "patient", extra: ofPatient });
    await look("groups", grouped);
    expect(grouped).toContain("Rows with the same “patient” are not independent");
    expect(grouped).toMatch(/all rows of \d+ groups, drawn at random/);
  });

  it("of models that are trained for a metric, abstain and give sets", async () => {
    const costs = { [names[0]]: { [names[1]]: 5 } };
    const dear = await reported("logistic", {
      holdout: 0.4,
      classes: 2,
      metric: "cost",
      costs,
      abstain: 0.2,
      sets: 0.8,
    });
    await look("costs", dear);
    expect(dear).toContain("<h2>How good is it by mean cost?</h2>");
    expect(dear).toContain("<h2>When does it not answer?</h2>");
    const sets = { sets: 0.8, setsBy: "class" } as const;
    for (const metric of ["auc", "log-loss", "brier", "f1", "balanced-error"] as const) {
      const report = await reported("forest", { holdout: 0.4, metric, ...sets });
      expect(parsed(report).body.querySelector("main")?.textContent).not.toMatch(STRAY);
      // One of those that judge classes, and one of those that judge probabilities.
      if (metric === "f1" || metric === "log-loss") await look(metric, report);
    }
    await look("folds by AUC", await reported("forest", { folds: 3, metric: "auc" }));
    await look("uncalibrated", await reported("linear-svm", { holdout: 0.4, classes: 2, calibrate: false }));
  });

  it("whose test rows are all of one class, or of classes that the model does not know", async () => {
    const one = tableOf(3, 30);
    const rows = Array.from({ length: one.rows }, (_, i) => i).filter((i) => i % 3 === 0);
    await look("one class", await reported("forest", { test: one.select(rows) }));
    await look("unknown", await reported("forest", { test: tableOf(5, 30) }));
  });
});

describe("the report of a model", () => {
  it("is the same each time, and names data, command and fingerprint", async () => {
    const once = await reported("forest", { holdout: 0.3 });
    const again = await reported("forest", { holdout: 0.3 });
    expect(again).toBe(once);
    const { body } = parsed(once);
    expect(body.querySelector("pre")?.textContent).toBe("vouch train 'it''s data.csv'");
    expect(body.querySelector("#how-can-you-reproduce-the-model")?.textContent).toMatch(
      /training rows’ fingerprint[0-9a-f]{16}/,
    );
  });

  it("draws the rounds of boosted trees of both kinds", async () => {
    for (const settings of [["weakLearner=tree", "rounds=3"], ["rounds=3"]]) {
      const boosted = settings.length > 1 ? "adaboost" : "boosted-trees";
      const page = await reported(boosted, { holdout: 0.3, settings });
      expect(page).toContain("<h2>How did training go?</h2>");
      expect(page).toMatch(/After (round|step) 3: (.*, )?held-out rows [\d.]+.%/);
    }
  });

  it("measures what is lost without each column of the table, on the held-out rows", async () => {
    for (const name of ["forest", "linear-svm"]) {
      const page = await reported(name, { holdout: 0.3 });
      expect(page).toContain("Measured on 27 held-out rows");
      const list = page.split("<h2>Which columns matter?</h2>")[1].split("</section>")[0];
      for (const column of ["length", "width", "colour"]) expect(list).toContain(column);
      expect(list).not.toContain("colour=");
    }
  });
});
