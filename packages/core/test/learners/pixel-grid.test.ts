import { describe, expect, it } from "vitest";
import { Sample } from "#core/encode/sample.js";
import { imageSections } from "#core/learners/image-section.js";
import { mlp } from "#core/learners/net/mlp.js";
import { pixelGrid } from "#core/learners/pixel-grid.js";
import { Matrix } from "#core/runtime/maths/matrix.js";

const named = (rows: number, columns: number, name: (row: number, column: number) => string) =>
  Array.from({ length: rows * columns }, (_, i) => name(Math.floor(i / columns), i % columns));

describe("features that are the pixels of an image", () => {
  it("are recognised by row and column, or by the number in a square", () => {
    const styles: [readonly string[], number, number][] = [
      [named(8, 8, (y, x) => `p${y}${x}`), 8, 8],
      [named(16, 16, (y, x) => `p${String(y).padStart(2, "0")}_${String(x).padStart(2, "0")}`), 16, 16],
      [named(5, 7, (y, x) => `${y + 1}x${x + 1}`), 7, 5],
      [named(28, 28, (y, x) => `pixel${28 * y + x}`), 28, 28],
      [named(28, 28, (y, x) => `p${28 * y + x + 1}`), 28, 28],
      [named(8, 8, (y, x) => `p${String(8 * y + x).padStart(2, "0")}`), 8, 8],
    ];
    for (const [names, width, height] of styles) {
      const pixels = names.map((_, i) => i);
      expect(pixelGrid(names), names[1]).toEqual({ width, height, pixels });
    }
  });

  it("are at most as many as an image has", () => {
    expect(pixelGrid(Array.from({ length: 300_000 }, (_, i) => `f${i}`))).toBeUndefined();
    expect(pixelGrid(named(600, 500, (y, x) => `${y}x${x}`))).toBeUndefined();
  });

  it("may lack constant ones: those that are left keep their places", () => {
    const names = named(28, 28, (y, x) => `p${28 * y + x + 1}`).filter(
      (_, i) => i > 30 && i < 760 && i % 7 > 0,
    );
    const grid = pixelGrid(names);
    expect(grid).toMatchObject({ width: 28, height: 28 });
    expect(grid?.pixels).toEqual(names.map((name) => Number(name.slice(1)) - 1));
    const withoutLastRows = names.filter((_, i) => i < 550);
    expect(pixelGrid(withoutLastRows)).toMatchObject({ width: 28, height: 28 });
  });

  it("are not any numbered columns, nor few of them, nor the same one twice", () => {
    expect(pixelGrid(named(8, 8, (y, x) => `V${8 * y + x}`))).toBeUndefined();
    expect(pixelGrid(named(3, 3, (y, x) => `p${y}${x}`))).toBeUndefined();
    expect(pixelGrid([...named(4, 4, (y, x) => `p${y}_${x}`), "price"])).toBeUndefined();
    expect(pixelGrid(named(4, 4, (y) => `p${y}_0`))).toBeUndefined();
    expect(pixelGrid(named(4, 4, (y, x) => `p${100 * (4 * y + x)}`))).toBeUndefined();
    expect(pixelGrid(named(600, 600, (y, x) => `p${y}_${x}`))).toBeUndefined();
  });
});

describe("images of weights", () => {
  const names = named(4, 4, (y, x) => `p${y}_${x}`);

  it("are whole numbers to the scale of the largest weight, at the places of the pixels", () => {
    const weights = names.map((_, i) => (i === 5 ? -0.5 : i === 0 ? 0.25 : 0));
    const [section] = imageSections("weights", names.toReversed(), 1, () => ({
      name: "a",
      weights: weights.toReversed(),
    }));
    expect(section).toMatchObject({ kind: "images", width: 4, height: 4, total: 1 });
    expect(section.images[0].values.map((value, i) => [i, value]).filter(([, value]) => value !== 0)).toEqual(
      [
        [0, 50],
        [5, -100],
      ],
    );
    expect(imageSections("weights", ["a", "b"], 1, () => ({ name: "a", weights: [1, 2] }))).toEqual([]);
  });

  it("show the strongest units of the first layer of a network", async () => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      names.map((_, j) => Math.sin(i * (j + 1)) + (i % 2 && j === 3 ? 2 : 0)),
    );
    const sample = new Sample({
      features: Matrix.from(rows),
      labels: Int32Array.from(rows, (_, i) => i % 2),
      classes: ["no", "yes"],
      featureNames: names,
    });
    const model = await mlp({ layers: [20], epochs: 2 }).fit(sample);
    const section = model.describe().sections.find(({ kind }) => kind === "images");
    if (section?.kind !== "images") throw new Error("There are no images.");
    expect(section).toMatchObject({ width: 4, height: 4, total: 20 });
    expect(section.images).toHaveLength(16);
    const [weights] = model.weights.weights;
    const norms = Array.from({ length: 20 }, (_, u) => Math.hypot(...weights.subarray(16 * u, 16 * u + 16)));
    const strongest = norms.indexOf(Math.max(...norms));
    expect(section.images[0].name).toBe(`unit ${strongest + 1}`);
    const own = [...weights.subarray(16 * strongest, 16 * strongest + 16)];
    const largest = Math.max(...own.map(Math.abs));
    for (const [j, value] of section.images[0].values.entries()) {
      expect(Math.abs(value - (100 * own[j]) / largest)).toBeLessThanOrEqual(0.5);
    }
  });
});
