import type { LayerSection } from "@vouch/core/internal/learners/description";
import { LayerFigure } from "@vouch/views";
import { describe, expect, it } from "vitest";
import { rendered, textOf, texts } from "./rendered.js";

const layer = (name: string, mean: number, ratio: number, quantiles: number[]) => ({
  name,
  members: ["forest", "random-trees", "forest"],
  alpha: 0.5,
  outOfFoldAccuracy: 0.75,
  margins: { mean, variance: 0, ratio, quantiles },
});

const layers: LayerSection["layers"] = [
  layer("layer 1", 0.25, 2, [-0.5, 0, 0.5, 1]),
  layer("layer 2", 0.5, 0.75, [0, 0.5, 0.5, 1]),
  layer("layer 3", 0.625, Number.POSITIVE_INFINITY, [0.25, 0.5, 0.75, 1]),
];

const drawn = (own: LayerSection["layers"]) => (
  <LayerFigure section={{ kind: "layers", title: "layers", layers: own }} />
);

describe("the margins from layer to layer", () => {
  const figure = rendered(drawn(layers));
  const curves = [...figure.querySelectorAll('.wide g[fill="none"]:has(> path)')];

  it("are a curve for each layer, whose dashes grow until the last is solid", () => {
    expect(curves).toHaveLength(3);
    const dashes = curves.map((curve) => curve.getAttribute("stroke-dasharray"));
    expect(new Set(dashes).size).toBe(3);
    expect(dashes[2] ?? "none").toBe("none");
    expect(Number.parseFloat(dashes[0] ?? "")).toBeLessThan(Number.parseFloat(dashes[1] ?? ""));
    const keys = [...figure.querySelectorAll(".legend li")].map((item) => item.textContent?.trim());
    expect(keys).toEqual(["layer 1", "layer 2", "layer 3"]);
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
    const label = (page: typeof figure) => page.querySelector("svg[aria-label]")?.getAttribute("aria-label");
    expect(label(figure)).toContain("layer 1: mean 0.25, λ 2; layer 3: mean 0.625, λ ∞.");
    expect(label(rendered(drawn(layers.slice(0, 1))))).toContain("layer 1: mean 0.25, λ 2.");
  });

  it("are listed in a table, too; nothing is drawn without layers", () => {
    const rows = [...figure.querySelectorAll("tbody tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.textContent?.replace("\u00a0", " ")),
    );
    expect(rows[2]).toEqual(["layer 3", "0.5", "75.0%", "0.625", "∞"]);
    expect(textOf(drawn([]))).toBe("");
  });

  it("stand in order, each with its forests and its accuracy", () => {
    expect(texts(figure, ".layers li")).toHaveLength(3);
    expect(texts(figure, ".layers li")[0]).toMatch(
      /^Layer 1 ?2 × forest ?random-trees ?75.0% right ?weight 0.5$/,
    );
  });
});
