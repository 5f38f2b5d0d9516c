import { describe, expect, it } from "vitest";
import { confusionHeatMap, confusionTable, mostConfused, shadedCells } from "#report/confusion-table.js";
import { parsed } from "./parsed.js";

const names = (count: number) => Array.from({ length: count }, (_, i) => `class ${i}`);

/** All rows right, but for class 0, of which i rows are taken for class i. */
function confusionOf(count: number) {
  const classes = names(count);
  const matrix = classes.map((_, i) => classes.map((_, j) => (i === j ? 10 : i === 0 ? j : 0)));
  return { classes, matrix };
}

describe("the confusion matrix", () => {
  it("has one cell per pair of classes and the share that is right, up to 30 classes", () => {
    const text = confusionTable(confusionOf(30))?.text ?? "";
    expect(text.match(/<td class="(right|wrong|none)"/g)).toHaveLength(900);
    expect(text.match(/<td class="wrong"/g)).toHaveLength(29);
    expect(text.match(/100\u00a0%/g)).toHaveLength(29);
  });

  it("has precision below and recall beside the classes, where these are few", () => {
    const confusion = {
      classes: ["a", "b"],
      matrix: [
        [3, 1],
        [0, 0],
      ],
    };
    const page = parsed(confusionTable(confusion)?.text ?? "");
    const shares = [...page.querySelectorAll("td.recall")].map(({ textContent }) => textContent);
    expect(shares).toEqual(["75.0\u00a0%", "no rows", "100\u00a0%", "0\u00a0%"]);
  });

  it("has a heat map for phones beside the numbers, from 7 classes", () => {
    expect(confusionTable(confusionOf(6))?.text).not.toContain("<svg");
    const page = parsed(confusionTable(confusionOf(7))?.text ?? "");
    expect(page.querySelectorAll("figure.narrow svg.heat")).toHaveLength(1);
    expect(page.querySelectorAll(".wide table.confusion")).toHaveLength(1);
  });

  it("gives way to a heat map and the most confused pairs above 30 classes", () => {
    const confusion = confusionOf(31);
    const pairs = mostConfused(confusion);
    expect(pairs[0]).toEqual({
      trueClass: "class 0",
      predicted: "class 30",
      rows: 30,
      share: 30 / (10 + 465),
    });
    expect(pairs).toHaveLength(30);
    const text = confusionTable(confusion)?.text ?? "";
    expect(text).toContain("The 10 most frequent of 30 kinds of confusion");
    expect(text.match(/<td title="class 0">class 0<\/td>/g)).toHaveLength(10);
    expect(parsed(text).querySelectorAll("figure svg.heat")).toHaveLength(2);
  });

  it("is left out without classes", () => {
    expect(confusionTable({ classes: [], matrix: [] })).toBeUndefined();
  });

  it("says so when nothing is confused, and shows a class without rows", () => {
    const classes = names(31);
    const matrix = classes.map((_, i) => classes.map((_, j) => Number(i === j)));
    expect(confusionTable({ classes, matrix })?.text).toContain("All rows of the 31 classes were right.");
    expect(
      confusionTable({
        classes: ["only", "never"],
        matrix: [
          [3, 0],
          [0, 0],
        ],
      })?.text,
    ).toContain("no rows");
  });
});

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
