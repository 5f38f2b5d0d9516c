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
interface Layer {
  readonly name: string;
  readonly alpha: number;
  readonly outOfFoldAccuracy: number;
  readonly margins: { readonly mean: number; readonly quantiles: readonly number[] };
}

describe.concurrent("a deep forest shows how its margins move from layer to layer", () => {
  it("in inspect, as a line for each layer", async () => {
    const text = await desk.print(["inspect", "deep.st"]);
    expect(text).toMatch(/^ +layer +α +accuracy +mean +variance +λ +median +−1 to 1$/m);
    const { description } = await desk.json(["inspect", "deep.st"]);
    const [{ layers }]: { layers: Layer[] }[] = description.sections.filter(
      ({ kind }: { kind: string }) => kind === "layers",
    );
    const lines = text.match(/^ +layer \d+ .*% .*[·▁▂▃▄▅▆▇█]{16}$/gmu) ?? [];
    expect(lines).toHaveLength(layers.length);
    for (const { outOfFoldAccuracy, margins } of layers) {
      expect(outOfFoldAccuracy).toBeGreaterThan(0.8);
      expect(margins.quantiles).toHaveLength(101);
      expect(margins.mean).toBeGreaterThan(0.3);
    }
  });

  it("in certify, below Theorem 1, which promises nothing", async () => {
    const text = await desk.print(["certify", "deep.st", "--full"]);
    expect(text).toContain("margins after each layer");
    expect(text).toMatch(/^margin-forest-theorem-1 {2}– /m);
    expect(text).toContain("✗ violated: The printed constants are those of a proof.");
    const { certificates, layers }: { certificates: { name: string; holds: boolean }[]; layers: Layer[] } =
      await desk.json(["certify", "deep.st"]);
    const theorem = certificates.find(({ name }) => name === "margin-forest-theorem-1");
    expect(theorem?.holds).toBe(false);
    expect(layers.length).toBeGreaterThan(0);
  });

  it("in the report, as curves", () => {
    const page = desk.read("deep.html");
    expect(page).toContain("What does each layer add?");
    expect(page).toMatch(/layer 1: mean [\d.]+, λ [\d.]+[.;]/);
    expect(page).toMatch(/Out-of-fold accuracy<\/th>.*<td class="number">[\d.]+%/is);
  });
});
