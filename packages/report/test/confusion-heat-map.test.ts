import { describe, expect, it } from "vitest";
import { confusionHeatMap, shadedCells } from "#report/confusion-heat-map.js";
import { parsed } from "./parsed.js";

describe("the heat map of a confusion matrix", () => {
  it("has a square for each pair that occurs, right ones apart, darker with the root of the share", () => {
    const matrix = [
      [36, 64, 0],
      [0, 0, 0],
      [1, 0, 99],
    ];
    expect(shadedCells({ classes: ["a", "b", "c"], matrix })).toEqual(
      new Map([
        ["right4", "M0 0h1v1h-1z"],
        ["wrong5", "M1 0h1v1h-1z"],
        ["wrong1", "M0 2h1v1h-1z"],
        ["right6", "M2 2h1v1h-1z"],
      ]),
    );
  });

  it("names the classes where a line of text has room", () => {
    const confusionOf = (count: number) => ({
      classes: Array.from({ length: count }, (_, i) => `c${i}`),
      matrix: Array.from({ length: count }, () => new Array<number>(count).fill(1)),
    });
    const names = (count: number) =>
      [...parsed(confusionHeatMap(confusionOf(count), "wide").text).querySelectorAll("svg > g text")].length;
    expect(names(20)).toBe(2 + 2 * 20);
    expect(names(100)).toBe(2);
  });

  it("stays small with a hundred classes that are all confused", () => {
    const classes = Array.from({ length: 100 }, (_, i) => `class ${i}`);
    const matrix = classes.map(() => new Array<number>(100).fill(7));
    expect(confusionHeatMap({ classes, matrix }, "wide").text.length).toBeLessThan(200_000);
  });
});
