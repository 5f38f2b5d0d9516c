import { describe, expect, it } from "vitest";
import { describeConfusion, mostConfused } from "#views/facts/evaluation/confused-pairs.js";
import { ConfusionHeatMap, shadedCells } from "#views/panels/evaluation/confusion-heat-map.js";
import { ConfusionTable } from "#views/panels/evaluation/confusion-table.js";
import { rendered, textOf, texts } from "./rendered.js";

const tableOf = (confusion: Parameters<typeof ConfusionTable>[0]["confusion"]) =>
  rendered(<ConfusionTable confusion={confusion} />);

const names = (count: number) => Array.from({ length: count }, (_, i) => `class ${i}`);

/** All rows right, but for class 0, of which i rows are taken for class i. */
function confusionOf(count: number) {
  const classes = names(count);
  const matrix = classes.map((_, i) => classes.map((_, j) => (i === j ? 10 : i === 0 ? j : 0)));
  return { classes, matrix };
}

describe("the confusion matrix", () => {
  it("has one cell per pair of classes and the share that is right, up to 30 classes", () => {
    const page = tableOf(confusionOf(30));
    expect(page.querySelectorAll("td.right, td.wrong, td.none")).toHaveLength(900);
    expect(page.querySelectorAll("td.wrong")).toHaveLength(29);
    expect(texts(page, "td.recall").filter((share) => share === "100%")).toHaveLength(29);
  });

  it("tells classes apart that differ by spaces only", () => {
    const confusion = {
      classes: ["No", "No "],
      matrix: [
        [5, 1],
        [2, 4],
      ],
    };
    const page = tableOf(confusion);
    expect(texts(page, "thead th span").slice(0, 2)).toEqual(["No", "No␣"]);
    expect(texts(page, "tbody th span").slice(0, 2)).toEqual(["No", "No␣"]);
    expect(describeConfusion(confusion)).toContain("taken for “No␣”");
  });

  it("has precision below and recall beside the classes, where these are few", () => {
    const confusion = {
      classes: ["a", "b"],
      matrix: [
        [3, 1],
        [0, 0],
      ],
    };
    expect(texts(tableOf(confusion), "td.recall")).toEqual(["75.0%", "no rows", "100%", "0%"]);
  });

  it("has a heat map for phones beside the numbers, from 7 classes", () => {
    expect(tableOf(confusionOf(6)).querySelector("svg")).toBeNull();
    const page = tableOf(confusionOf(7));
    expect(page.querySelectorAll("figure.narrow svg.heat")).toHaveLength(1);
    expect(page.querySelectorAll(".wide table.confusion")).toHaveLength(1);
  });

  it("gives way to a heat map and the most confused pairs above 30 classes", () => {
    const confusion = confusionOf(31);
    const pairs = mostConfused(confusion);
    expect(pairs[0]).toEqual({
      trueClass: 0,
      predicted: 30,
      rows: 30,
      share: 30 / (10 + 465),
    });
    expect(pairs).toHaveLength(30);
    const page = tableOf(confusion);
    expect(page.body.textContent).toContain("The 10 most frequent of 30 confusions.");
    expect(page.querySelectorAll('td[title="class 0"]')).toHaveLength(10);
    expect(page.querySelectorAll("figure svg.heat")).toHaveLength(2);
  });

  it("is left out without classes", () => {
    expect(textOf(<ConfusionTable confusion={{ classes: [], matrix: [] }} />)).toBe("");
  });

  it("says so when nothing is confused, and shows a class without rows", () => {
    const classes = names(31);
    const matrix = classes.map((_, i) => classes.map((_, j) => Number(i === j)));
    expect(texts(tableOf({ classes, matrix }), "p")[0]).toBe("All 31 rows are right.");
    const few = {
      classes: ["only", "never"],
      matrix: [
        [3, 0],
        [0, 0],
      ],
    };
    expect(texts(tableOf(few), "td.recall")).toContain("no rows");
  });
});

describe("a confusion matrix in words", () => {
  it("names the classes that are confused most", () => {
    const classes = ["No", "Yes"];
    const words = (matrix: number[][]) => describeConfusion({ classes, matrix }).replaceAll("\u00a0", " ");
    expect(
      words([
        [300, 20],
        [60, 20],
      ]),
    ).toBe(
      "80 of 400 rows are wrong. 60 of 80 “Yes” are taken for “No” (75.0%), and 20 of 320 “No” are taken for “Yes” (6.3%).",
    );
    expect(
      words([
        [3, 0],
        [1, 6],
      ]),
    ).toBe("1 of 10 rows is wrong. 1 of 7 “Yes” is taken for “No” (14.3%).");
  });

  it("names the two most frequent of many confusions", () => {
    expect(describeConfusion(confusionOf(4))).toMatch(
      /^6 of 46 rows are wrong\. Most often, 3 of 16 “class 0”/,
    );
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
      rendered(<ConfusionHeatMap confusion={confusionOf(count)} width="wide" />).querySelectorAll(
        "svg > g text:not(.count)",
      ).length;
    expect(names(20)).toBe(2 + 2 * 20);
    expect(names(100)).toBe(2);
  });

  it("stays small with a hundred classes that are all confused", () => {
    const classes = Array.from({ length: 100 }, (_, i) => `class ${i}`);
    const matrix = classes.map(() => new Array<number>(100).fill(7));
    const page = rendered(<ConfusionHeatMap confusion={{ classes, matrix }} width="wide" />);
    expect(page.body.innerHTML.length).toBeLessThan(200_000);
  });
});
