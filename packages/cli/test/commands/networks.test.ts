import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

describe.concurrent("mlp", () => {
  it("is trained, saved, and reported with the curve of its losses", async () => {
    const args = ["train", "iris", "-l", "mlp", "--set", "layers=12,6", "--set", "epochs=30"];
    const document = await desk.json([...args, "-o", "net.st", "--report", "net.html"]);
    expect(document).toMatchObject({ learner: "mlp", options: { layers: [12, 6] }, notices: [] });
    const page = desk.read("net.html");
    expect(page).toMatch(/Training curve\. At the end, epoch \d+: training rows [\d.]+, rows kept apart/);
    expect(page).toContain("Epoch");
    const inspected = await desk.print(["inspect", "net.st"]);
    expect(inspected).toMatch(/^ *sizes +\[4,12,6,3\]$/m);
    expect(inspected).toMatch(/^ *epoch +training loss +validation loss +validation error$/m);
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
    expect(stderr).toContain("Option layers of mlp is [10,0].");
  });
});

describe.concurrent("a pre-trained network", () => {
  it.each([
    { learner: "sae", energies: false },
    { learner: "dbn", energies: true },
  ])("has the curves of its layers in inspect and in the report: $learner", async ({ learner, energies }) => {
    const file = `${learner}.st`;
    const args = ["train", "iris", "-l", learner, "--set", "layers=6,3", "--set", "pretrainEpochs=4"];
    await desk.json([...args, "-o", file, "--report", `${learner}.html`]);
    const { structure } = await desk.json(["inspect", file]);
    expect(structure).toHaveProperty("pretraining.length", 2);
    for (const layer of ["0", "1"]) {
      expect(structure).toHaveProperty(`pretraining.${layer}.epochs.length`, 4);
      expect(structure).toHaveProperty(`pretraining.${layer}.error`, expect.any(Number));
      if (energies) expect(structure).toHaveProperty(`pretraining.${layer}.freeEnergies.length`, 4);
    }
    const page = desk.read(`${learner}.html`);
    expect(page).toContain("<h2>Pre-training</h2>");
    expect(page).toMatch(
      /Reconstruction error, first epoch to last\. Layer 1: from [\d.]+ to [\d.]+\. Layer 2: from/,
    );
    expect(page.includes("Mean free energy of the rows")).toBe(energies);
    expect(page.indexOf("<h2>Pre-training</h2>")).toBeLessThan(page.indexOf("<h2>Training</h2>"));
  });

  it("has no such section without pre-training", async () => {
    const args = ["train", "iris", "-l", "sae", "--set", "layers=6", "--set", "pretrainEpochs=0"];
    await desk.json([...args, "-o", "plain.st", "--report", "plain.html"]);
    expect(desk.read("plain.html")).not.toContain("Pre-training");
  });
});
