import { comparisonReport } from "@vouch/report";
import { describe, expect, it } from "vitest";
import type { Compared } from "vouch";
import { certificate } from "../../views/test/example-card.js";
import { best, comparedRows, comparison } from "./example-comparison.js";
import { parsed } from "./parsed.js";

const hostile = `<script>window.broken=1</script>"'><img src=x onerror="window.broken=1">&amp;`;

const page = parsed(comparisonReport(comparison, comparedRows()));

describe("the report of a comparison", () => {
  it("says which learner is best, which are not significantly worse, and which failed", () => {
    const body = page.querySelector("body")?.textContent ?? "";
    const text = body.replaceAll(/[^\S\n]/g, " ");
    expect(text).toContain(
      "forest has the smallest error of 3 completed learners, 15.0%: better than always answering “x” (60.0%, p = 0.004).",
    );
    expect(text).toContain("Not significantly worse than forest: svm C=10.");
    expect(text).toContain("always “x”");
    expect(text).toContain("deep-cascade-svm: It takes two classes.");
    expect(text).toContain("< 0.001");
    expect(text).toContain("Holm");
    expect(text).toContain("2.1 ms");
    expect(text).toContain("3.0 µs");
  });

  it("names the learners that ran out of time next to the winner, with what is known of them", () => {
    const header = (page.querySelector(".verdict .notices")?.textContent ?? "").replaceAll(/[^\S\n]/g, " ");
    expect(header).toContain(
      "2 learners ran out of time and may be better: mlp (14.0% on 2 of 3 folds), dbn.",
    );
    expect(header).toContain("All learners need about 90 s.");
  });

  it("draws the baseline as a line across all learners, unless it is far off", () => {
    const caption = (drawn: typeof page) =>
      (drawn.querySelector("figcaption")?.textContent ?? "").replaceAll(/\s/g, " ");
    const dotted = "line[stroke-dasharray], [stroke-dasharray] line";
    expect(page.querySelectorAll(`figure ${dotted}`).length).toBeGreaterThan(0);
    expect(caption(page)).toContain("The dotted line is the error of always answering “x” (60.0%).");
    const exact = {
      ...comparison.compared[1],
      metric: { name: "error" as const, values: [0.01, 0.01, 0.01], mean: 0.01, sd: 0 },
    };
    const far = parsed(comparisonReport({ ...comparison, compared: [exact] }, comparedRows()));
    expect(caption(far)).toContain("is beyond the figure");
  });

  it("draws every fold of every learner, and a tick for each certificate", () => {
    const figures = page.querySelectorAll("figure svg[role=img]");
    expect(figures).toHaveLength(2);
    for (const svg of figures) expect(svg.querySelectorAll("circle")).toHaveLength(9 + 3);
  });

  it("shows no bound that does not hold", () => {
    const broken = certificate({ value: 0.31, holds: false, reason: "The rows are not independent." });
    const text = (one: Compared) =>
      comparisonReport({ ...comparison, compared: [one] }, comparedRows()).replaceAll("\u00a0", " ");
    expect(text(best)).toContain("≤ 31.0%");
    expect(text({ ...best, certificate: broken })).not.toContain("≤ 31.0%");
  });

  it("says what the learners were compared on, and nothing of kinds that no column has", () => {
    const facts = page.querySelector("#what-were-they-compared-on")?.textContent ?? "";
    expect(facts.replaceAll(/\s+/g, " ")).toMatch(
      /Rows in the folds ?120 ?Held-out rows ?30 ?Columns ?4, all numeric/,
    );
  });

  it("leaves learners far off out of the figure, so that the others have room", () => {
    const far = {
      ...comparison,
      compared: [best, { ...best, metric: { ...best.metric, mean: 2, values: [2] } }],
    };
    const drawn = parsed(comparisonReport(far, comparedRows()));
    expect(drawn.querySelector("figcaption")?.textContent).toContain("beyond the figure");
  });

  it("ranks by the metric, on its own scale, beside the error", () => {
    const byAuc = (one: (typeof comparison.compared)[number], mean: number) => ({
      ...one,
      metric: { name: "auc" as const, values: [mean - 0.02, mean + 0.02], mean, sd: 0.02 },
    });
    const auc = {
      ...comparison,
      objective: { metric: "auc" as const },
      compared: comparison.compared.map((one, i) => byAuc(one, 0.9 - i / 10)),
      baseline: {
        ...comparison.baseline,
        metric: { name: "auc" as const, values: [0.5, 0.5], mean: 0.5, sd: 0 },
      },
    };
    const drawn = parsed(comparisonReport(auc, comparedRows()));
    expect(drawn.querySelector("h2")?.textContent).toBe("Which learner is best by AUC?");
    expect(drawn.querySelector("figcaption")?.textContent).toContain(
      "The dotted line is the AUC of chance (0.5).",
    );
    const ticks = [...drawn.querySelectorAll('.wide [aria-label="x-axis tick label"] text')];
    expect(ticks.map(({ textContent }) => textContent)).toEqual(["0.5", "0.6", "0.7", "0.8", "0.9", "1"]);
    // A bound on the error is not one on the AUC.
    expect(drawn.querySelectorAll('.wide [aria-label="tick"] line')).toHaveLength(0);
    const [first] = [...drawn.querySelectorAll(".as-cards tbody tr")].map((row) =>
      [...row.children].map(({ textContent }) => textContent?.replaceAll("\u00a0", " ")),
    );
    expect(first.slice(0, 3)).toEqual(["forest", "0.9 ± 0.02", "15.0 ± 5.0%"]);
  });

  it("has a label in each cell, for cards on a phone", () => {
    const cells = [...page.querySelectorAll(".as-cards tbody td")];
    expect(cells).toHaveLength(28);
    for (const cell of cells) expect(cell.getAttribute("data-label")).toBeTruthy();
  });

  it("does not run what names and reasons hold", () => {
    const hostileComparison = {
      ...comparison,
      baseline: { ...comparison.baseline, class: hostile },
      outOfTime: [{ name: hostile, folds: 0 }],
      compared: comparison.compared.map((one) => ({ ...one, name: hostile })),
      failed: [{ name: hostile, reason: hostile }],
      folds: 3,
      notices: [hostile],
    };
    const text = comparisonReport(hostileComparison, comparedRows(hostile), { command: hostile });
    expect(parsed(text).querySelectorAll("script, img")).toHaveLength(0);
  });

  it("has an axis where nobody errs", () => {
    const perfect = { ...best, errors: [0, 0, 0], mean: 0, sd: 0 };
    expect(comparisonReport({ ...comparison, compared: [perfect] }, comparedRows())).not.toContain("NaN");
  });
});
