import { describe, expect, it } from "vitest";
import { Desk } from "../vouch.js";

const desk = new Desk();
const quick = ["--set", "layers=6,3", "--set", "pretrainEpochs=2", "--set", "epochs=2"];

describe.concurrent("learners that pre-train", () => {
  it.each(["sae", "dbn"])("%s pre-trains on rows without a label, and tells how it went", async (learner) => {
    const lines = ["x,y,z", ...Array.from({ length: 60 }, (_, i) => `${i % 7},${(i * i) % 11},${i % 3}`)];
    desk.file(
      `${learner}-few.csv`,
      lines.map((line, i) => `${line},${i === 0 ? "label" : i % 2}`).join("\n"),
    );
    desk.file(`${learner}-many.csv`, lines.slice(0, 40).join("\n"));
    const model = `${learner}.st`;
    const args = ["train", `${learner}-few.csv`, "-l", learner, ...quick, "-o", model];
    const document = await desk.json([...args, "--unlabelled", `${learner}-many.csv`]);
    expect(document).toMatchObject({ learner, options: { layers: [6, 3] } });
    const { description } = await desk.json(["inspect", model]);
    expect(description.facts).toContainEqual({ name: "units per layer", value: [3, 6, 3, 1] });
    const curves = description.sections.filter(
      ({ quantity }: { quantity?: string }) => quantity === "reconstruction error",
    );
    expect(curves).toMatchObject([
      { series: [{ values: expect.any(Array) }, { values: expect.any(Array) }] },
    ]);
  });

  it("are the only ones that take such rows", async () => {
    const { code, stderr } = await desk.run(["train", "iris", "-l", "stump", "--unlabelled", "iris"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("stump does not use unlabelled rows.");
  });

  it("are selected by reconstruction", async () => {
    const grid = ["--grid", "layers=2;6", "pretrainEpochs=20", "epochs=2"];
    const args = [
      "select",
      "ionosphere",
      "--learner",
      "sae",
      ...grid,
      "--by",
      "reconstruction",
      "--folds",
      "2",
    ];
    const { criteria } = await desk.json(args);
    expect(criteria[0].choice).toContain("layers=6");
  });

  it("refuse binary units for features that are not", async () => {
    const { code, stderr } = await desk.run(["train", "iris", "-l", "dbn", "--set", "visible=binary"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/has more than two values/);
    expect(stderr).toContain("visible=gaussian");
  });
});
