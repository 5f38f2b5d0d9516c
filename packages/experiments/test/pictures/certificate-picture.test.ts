import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { certificatePicture } from "#experiments/pictures/certificate-picture.js";

const parsed = (svg: string): Document =>
  parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document;

/** A numeric attribute of all elements that a selector finds, in document order. */
function numbers(root: ParentNode, selector: string, attribute: string): number[] {
  return [...root.querySelectorAll(selector)].map((element) => Number(element.getAttribute(attribute)));
}

const models = [
  { data: "breastcancer", learner: "adaboost", rows: 140, errors: 14, bound: 0.2 },
  { data: "iris", learner: "stump", rows: 30, errors: 0, bound: 0.1 },
];

describe("the picture of certified models", () => {
  it("puts the dot at errors / rows and the end of the bar at the bound", () => {
    const picture = parsed(certificatePicture(models));
    const [error, zero] = numbers(picture, "circle", "cx");
    const [large, small] = numbers(picture, '[aria-label="tick"] line', "x1");
    expect((error - zero) / (large - zero)).toBeCloseTo(0.1 / 0.2, 6);
    expect((small - zero) / (large - zero)).toBeCloseTo(0.1 / 0.2, 6);
    expect(numbers(picture, '[aria-label="rule"] line', "x2")).toEqual([large, small]);
  });

  it("draws no bar for a bound that says nothing and no dot without rows", () => {
    const empty = { data: "x", learner: "y", rows: 0, errors: 0, bound: Number.POSITIVE_INFINITY };
    const picture = parsed(certificatePicture([empty, ...models]));
    expect(picture.querySelectorAll("circle")).toHaveLength(2);
    expect(picture.querySelectorAll('[aria-label="tick"] line')).toHaveLength(2);
    expect(certificatePicture([])).toContain("<svg");
  });

  it("names the confidence, and all models in words", () => {
    const picture = parsed(certificatePicture(models, 0.99));
    expect(picture.body.textContent).toContain("certified at 99%");
    expect(picture.querySelector("svg")?.getAttribute("aria-label")).toContain(
      "adaboost on breastcancer: measured 10.0%, certified at most 20.0%.",
    );
  });

  it("is a file of its own that loads nothing and has names escaped", () => {
    const svg = certificatePicture([{ ...models[0], data: '<script>&"', learner: "<b>" }]);
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(
      /https?:|url\(|@import|href|<script|<b>/,
    );
    expect(svg).toContain("prefers-color-scheme: dark");
  });
});
