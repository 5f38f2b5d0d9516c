import { describe, expect, it } from "vitest";
import { cascadeFigure } from "#report/cascade-figure.js";
import { fullReport } from "./example-report.js";
import { parsed } from "./parsed.js";

function leafOf(points: number) {
  return { kind: "leaf", points, classifier: "always yes", right: points, wrong: 0, pays: "pays 0" } as const;
}

describe("the picture of a cascade", () => {
  const { cascade } = fullReport;
  if (!cascade) throw new Error("The example has no cascade.");
  const page = parsed(cascadeFigure(cascade).text);

  it("has a branch for each gate and a bar for each leaf, as long as its share of the points", () => {
    expect(page.querySelectorAll(".tree > li > ul > li")).toHaveLength(2);
    const bars = [...page.querySelectorAll(".flow")].map((bar) => bar.getAttribute("style"));
    expect(bars).toEqual([0.4, 0.6].map((share) => `width:calc(${share}*(100% - 0*var(--indent)))`));
  });

  it("measures the bars of all depths by the same width", () => {
    const deeper = parsed(
      cascadeFigure({ kind: "gate", points: 600, question: "?", stay: leafOf(60), on: cascade }).text,
    );
    expect([...deeper.querySelectorAll(".flow")].map((bar) => bar.getAttribute("style"))).toEqual([
      "width:calc(0.1*(100% - 1*var(--indent)))",
      "width:calc(0.4*(100% - 0*var(--indent)))",
      "width:calc(0.6*(100% - 0*var(--indent)))",
    ]);
  });

  it("divides each bar into right and wrong, and says so in words", () => {
    const [first] = page.querySelectorAll(".flow");
    const parts = [...first.querySelectorAll("span")].map((part) => part.getAttribute("style"));
    expect(parts).toEqual(["width:99.58%", "width:0.42%"]);
    expect(page.body.textContent).toContain("239 right, 1 wrong; pays 0.4");
    expect(page.body.textContent).toContain("240 points stay");
  });

  it("is a single bar where there is no gate, also without points", () => {
    const text = cascadeFigure(leafOf(0)).text;
    expect(text).not.toContain("NaN");
    expect(parsed(text).querySelectorAll(".flow")).toHaveLength(1);
  });
});
