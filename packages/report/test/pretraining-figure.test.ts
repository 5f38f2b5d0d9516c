import { trainingReport } from "@vouch/report";
import { describe, expect, it } from "vitest";
import { pretrainingFigure } from "#report/pretraining-figure.js";
import { bareReport } from "./example-report.js";
import { parsed } from "./parsed.js";

const layers = [
  { name: "Layer 1", errors: [40, 20, 10], freeEnergies: [-5, -8, -6] },
  { name: "Layer 2", errors: [8, 6, 4], freeEnergies: [-1, -1.5, -2] },
];

/** The heights of a line's points, from the top of the drawing. */
function heights(line: Element): number[] {
  const path = line.querySelector("path")?.getAttribute("d") ?? "";
  return path
    .slice(1)
    .split("L")
    .map((pair) => Number(pair.split(",")[1]));
}

describe("the pre-training of layers", () => {
  const drawn = parsed(pretrainingFigure(layers)?.text ?? "");
  const lines = [...drawn.querySelectorAll('.wide [aria-label="line"]')];

  it("is drawn as a line for each layer and quantity", () => {
    expect(drawn.querySelectorAll("figure")).toHaveLength(2);
    expect(lines).toHaveLength(4);
    const keys = [...drawn.querySelectorAll(".legend li")].map((item) => item.textContent?.trim());
    expect(keys).toEqual(["Layer 1", "Layer 2", "Layer 1", "Layer 2"]);
  });

  it("has errors as shares of the first epoch's: half an error is half as high, whatever the layer", () => {
    const [first, second] = lines.map(heights);
    // 1, ½, ¼ and 1, ¾, ½: the second layer ends as high as the first is in its second epoch.
    expect(second[0]).toBe(first[0]);
    expect(second[2]).toBeCloseTo(first[1], 6);
    expect(first[1] - first[0]).toBeCloseTo(2 * (first[2] - first[1]), 6);
  });

  it("has free energies as changes, which may also rise", () => {
    const [, , first, second] = lines.map(heights);
    // 0, −3, −1 and 0, −½, −1.
    expect(second[0]).toBe(first[0]);
    expect(second[2]).toBeCloseTo(first[2], 6);
    expect(first[1] - first[0]).toBeCloseTo(3 * (first[2] - first[0]), 2);
  });

  it("is told in words, in the layers' own numbers", () => {
    const captions = [...drawn.querySelectorAll("figcaption")].map(({ textContent }) => textContent);
    expect(captions).toEqual([
      "Reconstruction error, first epoch to last. Layer 1: from 40 to 10. Layer 2: from 8 to 4.",
      "Mean free energy of the rows, first epoch to last. Layer 1: from −5 to −6. Layer 2: from −1 to −2.",
    ]);
  });

  it("leaves out layers whose first epoch was undone, and is nothing without any other", () => {
    const undone = { name: "Layer 1", errors: [] };
    expect(pretrainingFigure([undone])).toBeUndefined();
    expect(pretrainingFigure([])).toBeUndefined();
    const rest = parsed(pretrainingFigure([undone, { name: "Layer 2", errors: [0, 0] }])?.text ?? "");
    expect(rest.querySelectorAll('.wide [aria-label="line"]')).toHaveLength(1);
  });

  it("is a section of the report of a pre-trained model only", () => {
    expect(trainingReport({ ...bareReport, pretraining: layers })).toContain("<h2>Pre-training</h2>");
    expect(trainingReport(bareReport)).not.toContain("Pre-training");
  });
});
