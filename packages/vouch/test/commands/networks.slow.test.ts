import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

describe.concurrent("mlp", () => {
  it("is trained, saved, and reported with the curve of its losses", async () => {
    const args = ["train", "iris", "-l", "mlp", "--set", "layers=12,6", "--set", "epochs=5"];
    const document = await desk.json([
      ...args,
      "--set",
      "patience=5",
      "-o",
      "net.st",
      "--report",
      "net.html",
    ]);
    expect(document).toMatchObject({ learner: "mlp", options: { layers: [12, 6] }, notices: [] });
    const page = desk.read("net.html");
    expect(page).toMatch(/Loss per epoch\. After epoch \d+: training rows [\d.]+, validation rows [\d.]+/);
    expect(page).toContain("Epoch");
    const inspected = await desk.print(["inspect", "net.st"]);
    expect(inspected).toMatch(/^ *units per layer +4, 12, 6, 3$/m);
    expect(inspected).toMatch(/^ *training rows .*[▁▂▃▄▅▆▇█]{5}$/m);
  });

  it("says when the learning rate makes it diverge, and saves the best weights", async () => {
    const args = ["train", "iris", "-l", "mlp", "--set", "optimiser=sgd", "--set", "learningRate=100000"];
    const { notices } = await desk.json([...args, "-o", "diverged.st"]);
    expect(notices).toEqual([
      expect.stringMatching(/^Training diverged in epoch 1: .* try learningRate=10000\.$/),
    ]);
    await desk.print(["predict", "diverged.st", "iris"]);
  });

  it("has no layers without units", async () => {
    const { code, stderr } = await desk.run(["train", "iris", "-l", "mlp", "--set", "layers=10,0"]);
    expect(code).toBe(2);
    expect(stderr).toContain("mlp: layers must be a list, each item a whole number");
  });
});

describe.concurrent("a pre-trained network", () => {
  it.each([
    { learner: "sae", energies: false },
    { learner: "dbn", energies: true },
  ])("has the curves of its layers in inspect and in the report: $learner", async ({ learner, energies }) => {
    const file = `${learner}.st`;
    const args = ["train", "iris", "-l", learner, "--set", "layers=6,3"];
    args.push("--set", "pretrainEpochs=4", "--set", "epochs=2");
    await desk.json([...args, "-o", file, "--report", `${learner}.html`]);
    const { description } = await desk.json(["inspect", file]);
    const curves = description.sections.filter(({ kind }: { kind: string }) => kind === "curve");
    const pretraining = curves.filter(({ quantity }: { quantity: string }) => quantity !== "loss");
    expect(pretraining).toHaveLength(energies ? 2 : 1);
    for (const { series } of pretraining) {
      expect(series).toHaveLength(2);
      for (const { values } of series) expect(values).toHaveLength(4);
    }
    const page = desk.read(`${learner}.html`);
    expect(page).toMatch(/first epoch to last: layer 1 from [\d.]+ to [\d.]+, layer 2 from/);
    expect(page.includes("The free energy is")).toBe(energies);
  });

  it("has no such section without pre-training", async () => {
    const args = ["train", "iris", "-l", "sae", "--set", "layers=6", "--set", "pretrainEpochs=0"];
    args.push("--set", "epochs=2");
    await desk.json([...args, "-o", "plain.st", "--report", "plain.html"]);
    const [shown] = desk.read("plain.html").split("<script>");
    expect(shown).toContain("How did training go?");
    expect(shown).not.toContain("pre-trained");
  });
});
