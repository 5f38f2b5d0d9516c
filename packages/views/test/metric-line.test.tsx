import { describe, expect, it } from "vitest";
import { describeCosts, MetricLine, metricMarks } from "#views/panels/evaluation/metric-line.js";
import { certificate, verdict } from "./example-card.js";
import { numbers, rendered, textOf } from "./rendered.js";

const auc = verdict({ objective: { metric: "auc", model: 0.9, baseline: 0.5, gain: 0.4, p: 0.001 } });

const bound = certificate({ name: "auc", measure: "auc", bound: "lower", value: 0.8 });

describe("the metric that a model was trained for", () => {
  it("is that of the model, of the baseline and the bound on it; not the bound on the error", () => {
    const marks = metricMarks(auc, [certificate(), bound, { ...bound, holds: false }]);
    expect(marks.map(({ kind, value, shown }) => [kind, value, shown])).toEqual([
      ["measured", 0.9, "0.9"],
      ["baseline", 0.5, "0.5"],
      ["certified", 0.8, "≥ 0.8"],
    ]);
    expect(marks[1].name).toBe("Chance");
    expect(metricMarks(verdict(), [certificate()])).toEqual([]);
    expect(textOf(<MetricLine verdict={verdict()} certificates={[certificate()]} />)).toBe("");
  });

  it("is drawn to its own scale: an AUC from chance to 1, what the bound allows up to 1", () => {
    const figure = rendered(<MetricLine verdict={auc} certificates={[bound]} />);
    const [model, chance] = numbers(figure, ".wide circle", "cx");
    const [tick] = numbers(figure, '.wide [aria-label="tick"] line', "x1");
    const [from, to] = ["x1", "x2"].map((end) =>
      numbers(figure, '.wide [aria-label="rule"] line', end).at(-1),
    );
    expect(from).toBe(tick);
    const unit = ((to ?? 0) - chance) / 0.5;
    expect((model - chance) / unit).toBeCloseTo(0.4, 6);
    expect((tick - chance) / unit).toBeCloseTo(0.3, 6);
  });

  it("is a cost from 0 up to the bound, explained by the costs", () => {
    const cost = verdict({ objective: { metric: "cost", model: 1, baseline: 2, gain: 1, p: 0.01 } });
    const certified = certificate({ name: "cost", measure: "cost", value: 4 });
    const figure = rendered(
      <MetricLine verdict={cost} certificates={[certified]} costs="5 for “No” instead of “Yes”" />,
    );
    expect(figure.body.textContent).toContain("Mean cost of a row: 5 for “No” instead of “Yes”.");
    const [model, baseline] = numbers(figure, ".wide circle", "cx");
    const [end] = numbers(figure, '.wide [aria-label="tick"] line', "x1");
    expect(end - baseline).toBeCloseTo(2 * (baseline - model), 6);
    expect(textOf(<MetricLine verdict={cost} certificates={[]} />)).toContain("No certificate bounds it.");
  });
});

describe("costs in words", () => {
  it("name the errors, the dearest first", () => {
    const costs = [
      [0, 1],
      [5, 0],
    ];
    expect(describeCosts(costs, ["No", "Yes"])).toBe(
      "5 for “No” instead of “Yes”, 1 for “Yes” instead of “No”",
    );
    expect(describeCosts(undefined, ["No", "Yes"])).toBeUndefined();
  });

  it("count what is too much to name, and name what right answers cost", () => {
    const costs = Array.from({ length: 3 }, (_, t) => [0, 1, 2].map((k) => (t === k ? 0 : 1)));
    expect(describeCosts(costs, ["a", "b", "c"])).toContain(", and 2 other costs");
    expect(
      describeCosts(
        [
          [2, 0],
          [0, 0],
        ],
        ["a", "b"],
      ),
    ).toBe("2 for a right “a”");
  });
});
