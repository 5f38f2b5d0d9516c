import { beforeAll, describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

beforeAll(async () => {
  const options = ["--set", "trees=5", "--set", "layers=2", "--holdout", "0.2"];
  await desk.print([
    ...["train", "iris", "--learner", "mddf", ...options],
    ...["--out", "deep.st", "--report", "deep.html"],
  ]);
});

/** A layer in JSON. */
interface Told {
  readonly layer: number;
  readonly alpha: number;
  readonly outOfFoldAccuracy: number;
  readonly margins: { readonly mean: number; readonly quantiles: readonly number[] };
}

describe.concurrent("a deep forest shows how its margins move from layer to layer", () => {
  it("in inspect, as a line for each layer", async () => {
    const text = await desk.print(["inspect", "deep.st"]);
    expect(text).toContain("margins from layer to layer (training rows, out of fold)");
    expect(text).toMatch(/^ +layer +α +accuracy +mean +variance +λ +median +−1 to 1$/m);
    const { structure }: { structure: { layers: Told[] } } = await desk.json(["inspect", "deep.st"]);
    const lines = text.match(/^ +\d+ .* % .*[·▁▂▃▄▅▆▇█]{16}$/gmu) ?? [];
    expect(lines).toHaveLength(structure.layers.length);
    expect(structure.layers.map(({ layer }) => layer)).toEqual(structure.layers.map((_, i) => i + 1));
    for (const { outOfFoldAccuracy, margins } of structure.layers) {
      expect(outOfFoldAccuracy).toBeGreaterThan(0.8);
      expect(margins.quantiles).toHaveLength(101);
      expect(margins.mean).toBeGreaterThan(0.3);
    }
  });

  it("in certify, below Theorem 1, which promises nothing", async () => {
    const text = await desk.print(["certify", "deep.st"]);
    expect(text).toContain("margins from layer to layer");
    expect(text).toMatch(/^margin-forest-theorem-1 {2}– /m);
    expect(text).toContain("✗ The printed constants are those of a proof.");
    const { certificates, layers }: { certificates: { name: string; holds: boolean }[]; layers: Told[] } =
      await desk.json(["certify", "deep.st"]);
    const theorem = certificates.find(({ name }) => name === "margin-forest-theorem-1");
    expect(theorem?.holds).toBe(false);
    expect(layers.length).toBeGreaterThan(0);
  });

  it("in the report, as curves", () => {
    const page = desk.read("deep.html");
    expect(page).toContain("Margins from layer to layer");
    expect(page).toMatch(/Layer 1: mean [\d.]+, λ [\d.]+\./);
    // A single layer is told among the facts of the model, several are rows of a table.
    expect(page).toMatch(/right out of fold<\/(dt><dd|th>.*<td class="number")>[\d.]+\s%/is);
  });
});
