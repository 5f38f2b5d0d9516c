import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { comparisonReport, trainingReport } from "@vouch/report";
import type { TrainingFacts } from "@vouch/views/facts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { beyondSides, hasBrowser, startBrowser, unfold, watch } from "../../../scripts/test-browser.js";
import { verdict } from "../../views/test/example-card.js";
import { best, comparedRows, comparison } from "./example-comparison.js";
import { fullReport } from "./example-report.js";

/** The report of a model of ten classes with three warnings. */
const warnedReport: TrainingFacts = {
  ...fullReport,
  card: {
    ...fullReport.card,
    verdict: verdict({
      classes: Array.from({ length: 10 }, (_, i) => ({
        class: `class ${i}`,
        rows: 1200,
        found: 100 * i,
        predicted: 1000,
      })),
      warnings: [
        {
          code: "repeated-rows",
          message:
            "343 of 600 held-out rows repeat training rows: the error is 0% on them and 19.3% on the 228 new rows. Remove repeated rows from the data.",
        },
        { code: "class-never-predicted", message: 'The model never predicts "class 0".' },
        { code: "not-converged", message: "The fit stopped before it converged." },
      ],
    }),
  },
};

describe.skipIf(!hasBrowser)("the report in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "vouch-report-"));
  let browser: Browser;

  beforeAll(async () => {
    const hostile = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>";
    const { card } = fullReport;
    const report = {
      ...fullReport,
      card: { ...card, data: { ...card.data, name: hostile }, notices: [hostile] },
    };
    writeFileSync(join(folder, "training.html"), await trainingReport(report));
    writeFileSync(join(folder, "warned.html"), await trainingReport(warnedReport));
    const compared = [
      ...comparison.compared,
      { ...best, name: hostile },
      { ...best, name: "long".repeat(60) },
    ];
    const page = comparisonReport({ ...comparison, compared }, comparedRows(hostile));
    writeFileSync(join(folder, "comparison.html"), page);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it.each(["training", "comparison"])(
    "opens without an error, a request or sideways scrolling at any width: %s",
    async (which) => {
      const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
      const { complaints, requests } = watch(page);
      const address = pathToFileURL(join(folder, `${which}.html`)).href;
      await page.goto(address);
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([address]);
      expect(await page.evaluate("window.broken")).toBeUndefined();
      for (const isUnfolded of [false, true]) {
        if (isUnfolded) await unfold(page);
        for (const width of [1280, 700, 390]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await beyondSides(page), String(width)).toEqual([]);
          const [shown, hidden] = width > 752 ? ["wide", "narrow"] : ["narrow", "wide"];
          expect(await page.locator(`.${hidden} svg:visible`).count()).toBe(0);
          if (isUnfolded) expect(await page.locator(`.${shown} svg:visible`).count()).toBeGreaterThan(0);
        }
      }
      await page.close();
    },
  );

  it.each([
    [1280, 800],
    [390, 844],
  ])("fits all that a person must know on the first screen of %d by %d pixels", async (width, height) => {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(pathToFileURL(join(folder, "warned.html")).href);
    const box = await page.locator(".verdict").boundingBox();
    expect(await page.locator(".verdict .warnings li:visible").count()).toBe(3);
    expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThan(height);
    const right = (box?.x ?? 0) + (box?.width ?? 0);
    const farthest =
      "Math.max(...[...document.querySelectorAll('.verdict *')].map((e) => e.getBoundingClientRect().right))";
    expect(await page.evaluate(farthest)).toBeLessThan(right);
    await page.close();
  });

  it("shows compared learners on a phone without any table to scroll", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(pathToFileURL(join(folder, "comparison.html")).href);
    const scrolls = "[...document.querySelectorAll('.scroll')].some((e) => e.scrollWidth > e.clientWidth)";
    expect(await page.evaluate(scrolls)).toBe(false);
    await page.close();
  });

  it("keeps paper light, and prints what is folded but the grounds of certificates", async () => {
    const page = await browser.newPage({ colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.goto(pathToFileURL(join(folder, "training.html")).href);
    expect(await page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(28, 33, 39)");
    const folded = page.locator("details:not(.fold)", { hasText: "options of the learner" }).locator("dl");
    expect((await folded.boundingBox())?.height).toBeGreaterThan(10);
    expect(await page.locator(".certificate details:not([open])").first().isVisible()).toBe(false);
    await page.close();
  });
});
