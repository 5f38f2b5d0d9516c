import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();

describe.concurrent("mlp", () => {
  it("is trained, saved, and reported with the curve of its losses", async () => {
    const args = ["train", "iris", "-l", "mlp", "--set", "layers=12,6", "--set", "epochs=30"];
    const document = await desk.json([...args, "-o", "net.st", "--report", "net.html"]);
    expect(document).toMatchObject({ learner: "mlp", options: { layers: [12, 6] }, notices: [] });
    const page = desk.read("net.html");
    expect(page).toMatch(/Training curve\. At the end\. training rows: [\d.]+\. rows kept apart/);
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
