import { describe, expect, it } from "vitest";
import { cascadeFigure } from "#report/cascade-figure.js";
import { fullReport } from "./example-report.js";
import { parsed } from "./parsed.js";

describe("the picture of a cascade", () => {
  const { cascade } = fullReport;
  if (!cascade) throw new Error("The example has no cascade.");
  const page = parsed(cascadeFigure(cascade).text);

  it("has a branch for each gate and a bar for each leaf, as long as its share of the points", () => {
    expect(page.querySelectorAll(".tree > li > ul > li")).toHaveLength(2);
    const bars = [...page.querySelectorAll(".flow")].map((bar) => bar.getAttribute("style"));
    expect(bars).toEqual(["width:40%", "width:60%"]);
  });

  it("divides each bar into right and wrong, and says so in words", () => {
    const [first] = page.querySelectorAll(".flow");
    const parts = [...first.querySelectorAll("span")].map((part) => part.getAttribute("style"));
    expect(parts).toEqual(["width:99.58%", "width:0.42%"]);
    expect(page.body.textContent).toContain("239 right, 1 wrong; pays 0.4");
    expect(page.body.textContent).toContain("240 points stay");
  });

  it("is a single bar where there is no gate, also without points", () => {
    const leaf = {
      kind: "leaf",
      points: 0,
      classifier: "always yes",
      right: 0,
      wrong: 0,
      pays: "pays 0",
    } as const;
    const text = cascadeFigure(leaf).text;
    expect(text).not.toContain("NaN");
    expect(parsed(text).querySelectorAll(".flow")).toHaveLength(1);
  });
});
