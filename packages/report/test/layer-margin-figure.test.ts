import { trainingReport } from "@vouch/report";
import { describe, expect, it } from "vitest";
import { layerMarginFigure } from "#report/layer-margin-figure.js";
import { bareReport } from "./example-report.js";
import { parsed } from "./parsed.js";

const layers = [
  { name: "Layer 1", mean: 0.25, ratio: 2, quantiles: [-0.5, 0, 0.5, 1] },
  { name: "Layer 2", mean: 0.5, ratio: 0.75, quantiles: [0, 0.5, 0.5, 1] },
  {
    name: "Layer 3",
    mean: 0.625,
    ratio: Number.POSITIVE_INFINITY,
    quantiles: Float64Array.of(0.25, 0.5, 0.75, 1),
  },
];

describe("the margins from layer to layer", () => {
  const figure = parsed(layerMarginFigure(layers)?.text ?? "");
  const curves = [...figure.querySelectorAll('.wide [aria-label="line"]')];

  it("are a curve for each layer, whose dashes grow until the last is solid", () => {
    expect(curves).toHaveLength(3);
    const dashes = curves.map((curve) => curve.getAttribute("stroke-dasharray"));
    expect(new Set(dashes).size).toBe(3);
    expect(dashes[2] ?? "none").toBe("none");
    expect(Number.parseFloat(dashes[0] ?? "")).toBeLessThan(Number.parseFloat(dashes[1] ?? ""));
    const keys = [...figure.querySelectorAll(".legend li")].map((item) => item.textContent?.trim());
    expect(keys).toEqual(["Layer 1", "Layer 2", "Layer 3"]);
  });

  it("move to the right where margins grow: at the same height, the later curve is further right", () => {
    const places = curves.map((curve) => {
      const path = curve.querySelector("path")?.getAttribute("d") ?? "";
      const corners = path
        .slice(1)
        .split("L")
        .map((pair) => pair.split(",").map(Number));
      // Where the curve leaves the ground: the smallest margin.
      return corners.filter(([, y]) => y === corners[0][1]).at(-1)?.[0] ?? Number.NaN;
    });
    expect(places[0]).toBeLessThan(places[1]);
    expect(places[1]).toBeLessThan(places[2]);
  });

  it("are told in words, first layer and last", () => {
    const caption = figure.querySelector("figcaption")?.textContent;
    expect(caption).toBe("Layer 1: mean 0.25, λ 2. Layer 3: mean 0.625, λ ∞.");
  });

  it("are a section of the report of a model with layers only", () => {
    const title = "Margins from layer to layer";
    expect(trainingReport({ ...bareReport, layerMargins: layers })).toContain(title);
    expect(trainingReport(bareReport)).not.toContain(title);
    expect(layerMarginFigure([])).toBeUndefined();
    expect(layerMarginFigure(layers.slice(0, 1))?.text).toContain("Layer 1: mean 0.25, λ 2.");
  });
});
