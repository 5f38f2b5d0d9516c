import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cumulativeMargins, MarginFigure } from "#views/panels/model/margin-figure.js";
import { rendered, textOf } from "./rendered.js";

function fractionAtMost(margins: readonly number[], x: number): number {
  return margins.filter((margin) => margin <= x).length / margins.length;
}

describe("the cumulative distribution of margins", () => {
  it("has the height of the empirical distribution at every distinct margin", () => {
    const margins = fc.array(
      fc.integer({ min: -20, max: 20 }).map((i) => i / 20),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(margins, (sample) => {
        const points = cumulativeMargins(sample);
        expect(points.map(({ margin }) => margin)).toEqual([...new Set(sample)].sort((a, b) => a - b));
        for (const { margin, fraction } of points) expect(fraction).toBe(fractionAtMost(sample, margin));
      }),
    );
  });

  it("keeps exact heights and both ends when there are very many rows", () => {
    const sample = Array.from({ length: 20_000 }, (_, i) => Math.sin(i));
    const points = cumulativeMargins(sample);
    expect(points.length).toBeLessThanOrEqual(500);
    expect(points[0].margin).toBe(Math.min(...sample));
    expect(points[points.length - 1]).toEqual({ margin: Math.max(...sample), fraction: 1 });
    for (const { margin, fraction } of points.slice(0, 20)) {
      expect(fraction).toBe(fractionAtMost(sample, margin));
    }
  });

  it("counts finite margins only", () => {
    expect(cumulativeMargins([Number.NaN, 0.5, Number.POSITIVE_INFINITY, -0.5])).toEqual([
      { margin: -0.5, fraction: 0.5 },
      { margin: 0.5, fraction: 1 },
    ]);
  });
});

/** The corners of the first curve in the figure, in pixels. */
function corners(figure: Document): { x: number; y: number }[] {
  const path = figure.querySelector('.wide [aria-label="line"] path')?.getAttribute("d") ?? "";
  return path
    .slice(1)
    .split("L")
    .map((pair) => pair.split(",").map(Number))
    .map(([x, y]) => ({ x, y }));
}

describe("the figure of margins", () => {
  it("draws steps of the right heights at the right places", () => {
    const steps = corners(rendered(<MarginFigure train={[-0.5, 0.5, 0.5, 1]} />));
    const bottom = steps[0];
    const top = steps[steps.length - 1];
    const drawn = steps.map(({ x, y }) => [
      (2 * (x - bottom.x)) / (top.x - bottom.x) - 1,
      (y - bottom.y) / (top.y - bottom.y),
    ]);
    const expected = [
      [-1, 0],
      [-0.5, 0],
      [-0.5, 0.25],
      [0.5, 0.25],
      [0.5, 0.75],
      [1, 0.75],
      [1, 1],
    ];
    for (const [margin, height] of expected) {
      expect(drawn.some(([x, y]) => Math.abs(x - margin) < 1e-3 && Math.abs(y - height) < 1e-3)).toBe(true);
    }
    expect(new Set(drawn.map(([, y]) => y.toFixed(2)))).toEqual(new Set(["0.00", "0.25", "0.75", "1.00"]));
  });

  it("says how many rows have a margin of 0 or less, and how many have none", () => {
    const train = Array.from({ length: 101 }, (_, percent) => (percent - 7) / 100);
    const text = textOf(<MarginFigure train={train} test={[-1, Number.NaN]} />);
    expect(text).toContain("Margin of 0 or less: about 7% of the training rows, 100% of the held-out rows");
    expect(text).toContain("1 row without a finite margin not shown");
    const reading = (quantiles: number[]) => textOf(<MarginFigure train={quantiles} />);
    expect(reading([0.1, 0.2])).toContain("none of the training rows");
    expect(reading([-0.1, 0.2])).toContain("less than 1% of the training rows");
  });

  it("is left out without finite margins", () => {
    expect(textOf(<MarginFigure />)).toBe("");
    expect(textOf(<MarginFigure train={[]} test={[Number.NaN]} />)).toBe("");
  });
});
