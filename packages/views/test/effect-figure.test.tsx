import { describe, expect, it } from "vitest";
import type { ColumnEffects } from "#views/facts/columns/column-effects.js";
import { EffectFigure } from "#views/panels/columns/effect-figure.js";
import { rendered } from "./rendered.js";

const curve = {
  column: "age",
  kind: "numeric" as const,
  points: [20, 40, 60].map((value) => ({ value, scores: [1 - value / 100, value / 100], se: [0.01, 0.01] })),
};
const given: ColumnEffects = {
  effects: [curve],
  texts: [],
  classes: ["no", "yes"],
  shown: [1],
  scoring: "probability",
};

function drawn(changes: Partial<ColumnEffects>) {
  return rendered(<EffectFigure effects={{ ...given, ...changes }} />);
}

describe("effects of columns", () => {
  it("have one panel each, with readings for those who cannot see it", () => {
    const levels = Array.from({ length: 12 }, (_, i) => ({
      value: `city ${i}`,
      scores: [0.5, 0.5],
      se: [0, 0],
    }));
    const page = drawn({ effects: [curve, { column: "city", kind: "categorical", points: levels }] });
    expect([...page.querySelectorAll("h3")].map(({ textContent }) => textContent)).toEqual(["age", "city"]);
    const [age, city] = [...page.querySelectorAll("svg")].map((svg) =>
      svg.getAttribute("aria-label")?.replaceAll("\u00a0", " "),
    );
    expect(age).toBe("Effect of age. yes: 20 20%, 40 40%, 60 60%.");
    expect(city).toContain("city 0 50%");
    expect(page.querySelectorAll("figure")[1]?.textContent).toContain("10 most frequent");
    expect(page.querySelector("p")?.textContent).toContain("Mean probability of “yes”");
  });

  it("have fewer ticks for long numbers and long names, and powers of ten for tiny numbers", () => {
    const scaled = (factor: number) => ({
      ...curve,
      points: curve.points.map((point) => ({ ...point, value: factor * point.value })),
    });
    const longName = "a category with a long name";
    const levels = ["short", longName].map((value) => ({ value, scores: [0.1, 0.9], se: [0, 0] }));
    const ticks = (effect: ColumnEffects["effects"][number]) =>
      [...drawn({ effects: [effect] }).querySelectorAll("svg > g:last-of-type text, svg text")].map(
        ({ textContent }) => textContent ?? "",
      );
    expect(ticks(curve)).toEqual(expect.arrayContaining(["20", "30", "40", "50", "60"]));
    const millions = ticks(scaled(1e6)).filter((text) => text.includes(","));
    expect(millions.length).toBeGreaterThan(0);
    expect(millions.length).toBeLessThan(4);
    expect(ticks(scaled(1e-9)).filter((text) => /0\.0000/.test(text))).toEqual([]);
    const shares = ticks({ column: "city", kind: "categorical", points: levels }).filter((text) =>
      text.endsWith("%"),
    );
    expect(shares.length).toBeLessThan(5);
  });

  it("have a legend with several classes, and scores if there are no probabilities", () => {
    const page = drawn({ shown: [0, 1], scoring: "decision" });
    expect(page.querySelectorAll(".legend li")).toHaveLength(2);
    expect(page.querySelector("p")?.textContent).toContain("Mean score of each class");
  });

  it("are left out without columns and for columns of one value", () => {
    expect(drawn({ effects: [] }).body.innerHTML).toBe("");
    const constant = { ...curve, points: curve.points.slice(0, 1) };
    expect(drawn({ effects: [constant] }).body.innerHTML).toBe("");
  });
});
