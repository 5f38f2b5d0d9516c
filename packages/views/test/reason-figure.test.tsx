import { describe, expect, it } from "vitest";
import { Matrix } from "vouch/extend";
import { exampleRows, type RowExample } from "#views/facts/rows/row-examples.js";
import { ReasonFigure } from "#views/panels/rows/reason-figure.js";
import { rendered, textOf } from "./rendered.js";

const example: RowExample = {
  chosenAs: "confident and wrong",
  row: 3,
  actual: "no",
  reasons: {
    of: "yes",
    unit: "log-odds",
    base: -1,
    score: 2.5,
    reasons: [4, -1, 0.25, 0.1, 0.1, 0.1, 0.05, -0.1].map((contribution, i) => ({
      column: `column ${i}`,
      value: String(i),
      contribution,
    })),
  },
};

describe("reasons for rows", () => {
  it("are bars for and against, the rest in one bar, and the classes of the row are named", () => {
    const figure = <ReasonFigure examples={[example]} on="held-out" />;
    const page = rendered(figure);
    const items = [...page.querySelectorAll(".bars li")];
    const texts = items.map((item) => item.querySelector("b")?.textContent);
    expect(texts).toEqual(["+4.00", "−1.00", "+0.25", "+0.10", "+0.10", "+0.10", "−0.05"]);
    expect(items.at(-1)?.querySelector("span")?.textContent).toBe("2 other columns");
    const [first, second] = items.map((item) => item.querySelector("u"));
    expect(first?.getAttribute("style")).toBe("--from:50%;--length:50%");
    expect(second?.getAttribute("style")).toBe("--from:37.5%;--length:12.5%");
    expect(second?.className).toBe("against");
    expect(textOf(figure)).toContain("Row 3 of the held-out rows: predicted yes, but it is no.");
    expect(textOf(figure)).toContain("For and against yes, by the model’s own log-odds");
    expect(textOf(<ReasonFigure examples={[]} on="training" />)).toBe("");
  });

  it("name the words of a text that speak for the same side as the bar", () => {
    const words = [
      { word: "refund", contribution: 0.5 },
      { word: "happy", contribution: -0.4 },
      { word: "angry", contribution: 0.3 },
    ];
    const reasons = [{ column: "note", value: "an angry note", contribution: 1, words }];
    const page = rendered(
      <ReasonFigure examples={[{ ...example, reasons: { ...example.reasons, reasons } }]} on="held-out" />,
    );
    const name = page.querySelector(".bars li span")?.textContent;
    expect(name).toBe("note contains “refund”, “angry”");
  });

  it("are shown for the clearest right row, the clearest wrong row, and the least certain one", () => {
    const scores = Matrix.from([0.9, 0.2, 0.55, 0.45, 0.99].map((p) => [1 - p, p]));
    const predictions = Int32Array.of(1, 0, 1, 0, 1);
    const chosen = exampleRows({
      classes: ["no", "yes"],
      labels: Int32Array.of(1, 1, 0, 0, 1),
      predictions,
      scores,
    });
    expect(chosen).toEqual([
      { row: 4, chosenAs: "confident and right" },
      { row: 1, chosenAs: "confident and wrong" },
      { row: 3, chosenAs: "uncertain" },
    ]);
    expect(exampleRows({ classes: ["no", "yes"], labels: predictions, predictions })).toEqual([]);
  });
});
