import type { CurveSection } from "@vouch/core/internal/learners/description";
import { CurveFigure } from "@vouch/views";
import { describe, expect, it } from "vitest";
import { rendered, textOf } from "./rendered.js";

type Values = readonly number[];

const curve = (values: Values, changes: Partial<CurveSection> = {}): CurveSection => ({
  kind: "curve",
  title: "training error",
  step: "round",
  quantity: "error",
  series: [{ role: "train", name: "training rows", values }],
  ...changes,
});

const layers = (quantity: CurveSection["quantity"], ...values: readonly Values[]): CurveSection => ({
  kind: "curve",
  title: `${quantity} in pre-training`,
  step: "epoch",
  quantity,
  series: values.map((own, l) => ({ role: "layer", name: `layer ${l + 1}`, values: own })),
});

/** Lists the points of each line, in pixels. */
function points(section: CurveSection): { x: number; y: number }[][] {
  const lines = rendered(<CurveFigure section={section} />).querySelectorAll('.wide g[fill="none"] > path');
  return [...lines].map((line) =>
    (line.getAttribute("d") ?? "")
      .slice(1)
      .replace(/Z$/, "")
      .split("L")
      .map((pair) => pair.split(",").map(Number))
      .map(([x, y]) => ({ x, y })),
  );
}

const caption = (section: CurveSection) =>
  rendered(<CurveFigure section={section} />)
    .querySelector("figcaption")
    ?.textContent?.replaceAll("\u00a0", " ");

describe("a curve of training", () => {
  it("starts a bound where it falls to one, and leaves out what is not a number", () => {
    expect(points(curve([1.3, 1, 0.5, 0.25]))[0]).toHaveLength(3);
    expect(points(curve([Number.NaN, 0.5, 0.25, Number.POSITIVE_INFINITY]))[0]).toHaveLength(2);
  });

  it("thins a long curve and keeps its ends", () => {
    const long = points(curve(new Array(10_000).fill(0.1)));
    expect(long[0].length).toBeLessThanOrEqual(500);
    expect(caption(curve(new Array(10_000).fill(0.1)))).toBe("After round 10,000: training rows 10.0%.");
  });

  it("is left out if there is nothing to draw, and drawn for a single round", () => {
    expect(textOf(<CurveFigure section={curve([], { series: [] })} />)).toBe("");
    expect(textOf(<CurveFigure section={curve([Number.NaN])} />)).toBe("");
    expect(caption(curve([0.25]))).toBe("After round 1: training rows 25.0%.");
  });

  it("draws losses of any size, and reads them as numbers", () => {
    const losses = curve([2.5, 1.25], { quantity: "loss", step: "epoch" });
    expect(caption(losses)).toBe("After epoch 2: training rows 1.25.");
    expect(points(losses)[0]).toHaveLength(2);
  });
});

describe("the pre-training of layers", () => {
  it("has errors relative to the first epoch: half an error is half as high, whatever the layer", () => {
    const [first, second] = points(layers("reconstruction error", [40, 20, 10], [8, 6, 4])).map((line) =>
      line.map(({ y }) => y),
    );
    // 1, ½, ¼ and 1, ¾, ½: the second layer ends as high as the first is in its second epoch.
    expect(second[0]).toBe(first[0]);
    expect(second[2]).toBeCloseTo(first[1], 6);
    expect(first[1] - first[0]).toBeCloseTo(2 * (first[2] - first[1]), 6);
  });

  it("has free energies as changes, which may also rise", () => {
    const [first, second] = points(layers("free energy", [-5, -8, -6], [-1, -1.5, -2])).map((line) =>
      line.map(({ y }) => y),
    );
    // 0, −3, −1 and 0, −½, −1.
    expect(second[0]).toBe(first[0]);
    expect(second[2]).toBeCloseTo(first[2], 6);
    expect(first[1] - first[0]).toBeCloseTo(3 * (first[2] - first[0]), 2);
  });

  it("is read in the numbers of the layers", () => {
    expect(caption(layers("reconstruction error", [40, 20, 10], [8, 6, 4]))).toBe(
      "Reconstruction error in pre-training, first epoch to last: layer 1 from 40 to 10, layer 2 from 8 to 4.",
    );
  });

  it("leaves out layers without epochs", () => {
    expect(textOf(<CurveFigure section={layers("reconstruction error", [])} />)).toBe("");
    expect(points(layers("reconstruction error", [], [0, 0]))).toHaveLength(1);
  });
});
