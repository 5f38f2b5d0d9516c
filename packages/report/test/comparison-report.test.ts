import { type ComparisonReport, comparisonReport } from "@vouch/report";
import { describe, expect, it } from "vitest";
import { axisEnd } from "#report/comparison-figure.js";
import { comparison as report } from "./example-comparison.js";
import { parsed } from "./parsed.js";

const hostile = `<script>window.broken=1</script>"'><img src=x onerror="window.broken=1">&amp;`;

/** The report with every text in it replaced by hostile text. */
const hostileReport: ComparisonReport = {
  ...report,
  dataName: hostile,
  data: { ...report.data, columns: { [hostile]: 4 } },
  learners: report.learners.map((one) => ({ ...one, name: hostile, size: hostile })),
  failed: [{ name: hostile, reason: hostile }],
  notices: [hostile],
  command: hostile,
  version: hostile,
};

describe("the report of a comparison", () => {
  it("says who is best, who is not told apart from it, and who could not take part", () => {
    const body = parsed(comparisonReport(report)).querySelector("body")?.textContent ?? "";
    const text = body.replaceAll(/[^\S\n]/g, " ");
    expect(text).toContain("forest has the smallest error: 15.0 %. No difference beyond chance: svm C=10.");
    expect(text).toContain("deep-cascade-svm: It tells two classes apart.");
    expect(text).toContain("< 0.001");
    expect(text).toContain("Holm");
    expect(text).toContain("2.1 ms");
    expect(text).toContain("3.0 µs");
  });

  it("draws every fold of every learner, and a tick for each certificate", () => {
    const page = parsed(comparisonReport(report));
    const figures = page.querySelectorAll("figure svg[role=img]");
    expect(figures).toHaveLength(2);
    for (const svg of figures) expect(svg.querySelectorAll("circle")).toHaveLength(9 + 3);
  });

  it("says what the learners were compared on, and nothing of kinds that no column has", () => {
    const facts = parsed(comparisonReport(report)).querySelector("#the-data")?.textContent ?? "";
    expect(facts.replaceAll(/\s+/g, " ")).toMatch(
      /Rows in the folds ?120 ?Held-out rows ?30 ?Columns ?4, all numeric/,
    );
  });

  it("leaves learners far off out of the figure, so that the others have room", () => {
    const spread = (mean: number) => ({ name: "", errors: [mean], mean, sd: 0 });
    expect(axisEnd([spread(0.03), spread(0.05), spread(0.4)])).toBe(0.05);
    expect(axisEnd([spread(0.3), spread(0.5)])).toBe(0.5);
    const far = {
      ...report,
      learners: [report.learners[0], { ...report.learners[2], mean: 2, errors: [2] }],
    };
    const page = parsed(comparisonReport(far));
    expect(page.querySelector("figcaption")?.textContent).toContain("beyond the figure");
  });

  it("has a label in each cell, for cards on a phone", () => {
    const cells = [...parsed(comparisonReport(report)).querySelectorAll(".as-cards tbody td")];
    expect(cells).toHaveLength(18);
    for (const cell of cells) expect(cell.getAttribute("data-label")).toBeTruthy();
  });

  it("does not run what names and reasons hold", () => {
    const page = parsed(comparisonReport(hostileReport));
    expect(page.querySelectorAll("script, img")).toHaveLength(0);
  });

  it("has an axis where nobody errs", () => {
    const perfect = { ...report.learners[0], errors: [0, 0, 0], mean: 0, sd: 0 };
    expect(comparisonReport({ ...report, learners: [perfect] })).not.toContain("NaN");
  });
});
