import { beforeAll, describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();
/** What is said of rows of which four in five were trained on. */
const SEEN = /About 80% of the rows \w+ rows that the model was trained on/;

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(300, 1));
  desk.file("fresh.csv", flowersCsv(120, 2));
  const train = ["train", "flowers.csv", "--learner"];
  await Promise.all([
    desk.print([...train, "stump", "--out", "model.st"]),
    desk.print([...train, "stump", "--folds", "3", "--out", "all-rows.st"]),
    desk.print([...train, "majority", "--folds", "3", "--out", "nothing-known.st"]),
  ]);
});

/** What matters of a certificate in JSON. */
interface CertificateJson {
  readonly name: string;
  readonly value: number;
  readonly holds: boolean;
  readonly reason?: string;
  readonly terms: Readonly<Record<string, number>>;
}

describe.concurrent("certify", () => {
  it("gives, without data, what training found on its held-out rows", async () => {
    const { model, certificates } = await desk.json(["certify", "model.st"]);
    expect(model).toBe("model.st");
    const trained = await desk.json(["train", "flowers.csv", "--learner", "stump", "--out", "again.st"]);
    // A model file does not keep the losses of single rows, so that two certificates are missing, and fewer share δ.
    const kept = (list: readonly CertificateJson[]) =>
      list
        .filter(({ name }) => name !== "brier" && name !== "log-loss")
        .map((one) => ({ ...one, together: 0 }));
    expect(certificates.length).toBe(trained.certificates.length - 2);
    expect(kept(certificates)).toEqual(kept(trained.certificates));
  });

  it("gives, with fresh rows, certificates from those rows", async () => {
    const args = ["certify", "model.st", "fresh.csv"];
    const { data, certificates }: { data: string; certificates: CertificateJson[] } = await desk.json(args);
    expect(data).toBe("fresh.csv");
    const { error } = await desk.json(["evaluate", "model.st", "fresh.csv"]);
    expect(certificates[0].name).toBe("held-out-binomial");
    const heldOut = certificates.filter(({ name }) => name.startsWith("held-out"));
    expect(heldOut).toHaveLength(2);
    for (const { holds, terms, value } of heldOut) {
      expect(holds).toBe(true);
      expect(terms.rows).toBe(120);
      expect(value).toBeGreaterThan(error);
    }
    const wider: { certificates: CertificateJson[] } = await desk.json([...args, "--confidence", "0.99"]);
    expect(wider.certificates[0].value).toBeGreaterThan(certificates[0].value);
  });

  it("shows one bound on each measure in a table", async () => {
    const text = await desk.print(["certify", "model.st", "fresh.csv"]);
    expect(text).toMatch(/^With 95% confidence at most \d+\.\d% of new cases/);
    expect(text).toMatch(/^ +bound +all together +certificate$/m);
    expect(text.match(/^ {2}error {2,}≤/gm)).toHaveLength(1);
    expect(text).toMatch(/^ {2}error of "daisy" +≤ \d+\.\d% +≤ \d+\.\d% {2}class-error$/m);
    expect(text).not.toContain("assumed:");
    expect(text.split("\n").length).toBeLessThan(25);
  });

  it("shows every term and premise with --full", async () => {
    const text = await desk.print(["certify", "model.st", "fresh.csv", "--full"]);
    expect(text).toMatch(/^held-out-binomial {2}≤ \d+\.\d% {3}\(Clopper and Pearson/);
    expect(text).toMatch(/^ +rows +120$/m);
    expect(text).toMatch(/^ +delta +0\.05$/m);
    expect(text).toContain("? assumed: The held-out rows are independent draws");
  });

  it("refuses the training rows: no held-out certificate holds, and it says why", async () => {
    const { certificates }: { certificates: CertificateJson[] } = await desk.json([
      "certify",
      "model.st",
      "flowers.csv",
    ]);
    const heldOut = certificates.filter(({ name }) => name.startsWith("held-out"));
    expect(heldOut).toHaveLength(2);
    for (const { holds, reason } of heldOut) {
      expect(holds).toBe(false);
      expect(reason).toMatch(SEEN);
    }
    const { stdout: text, stderr } = await desk.run(["certify", "model.st", "flowers.csv"]);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`note: flowers.csv cannot serve as evidence for this model. ${SEEN.source}`),
    );
    expect(text.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`No guarantee: ${SEEN.source}`));
    expect(text.replaceAll(/\s+/g, " ")).toContain("No bound on error, balanced error,");
    expect(text).not.toMatch(/held-out rows\.$/m);
  });

  it("gives what the training rows alone prove, and the best of several bounds with the confidence asked for", async () => {
    const { certificates }: { certificates: CertificateJson[] } = await desk.json(["certify", "all-rows.st"]);
    expect(certificates.map(({ name }) => name)).toEqual(["growth-function-exact", "vc"]);
    // The colours are categories from the training rows, so that the family was not fixed before them.
    expect(certificates[0]).toMatchObject({
      holds: false,
      reason: expect.stringContaining("categories of 1 column"),
      terms: { rows: 300 },
    });
    await desk.print(["train", "iris", "--learner", "stump", "--out", "numbers.st"]);
    const both: { certificates: CertificateJson[] } = await desk.json(["certify", "numbers.st"]);
    const best = both.certificates.find(({ name }) => name === "best-of");
    expect(best).toMatchObject({
      confidence: 0.95,
      holds: true,
      terms: { candidates: 2, "δ of each": 0.025 },
    });
  });

  it("bounds the mean cost of a cost matrix", async () => {
    const args = ["certify", "model.st", "fresh.csv"];
    const { certificates } = await desk.json([...args, "--cost", "rose:daisy=5", "--cost", "daisy:rose=0.5"]);
    const cost = certificates.find(({ name }: CertificateJson) => name === "cost");
    const { confusion } = await desk.json(["evaluate", "model.st", "fresh.csv"]);
    const [rose, daisy] = ["rose", "daisy"].map((name) => confusion.classes.indexOf(name));
    const measured = (5 * confusion.matrix[rose][daisy] + 0.5 * confusion.matrix[daisy][rose]) / 120;
    expect(cost).toMatchObject({ measure: "cost", holds: true });
    expect(cost.terms["mean cost"]).toBeCloseTo(measured, 12);
    expect(cost.value).toBeGreaterThan(measured);
    const { code, stderr } = await desk.run([...args, "--cost", "rose:dasy=5"]);
    expect(code).toBe(2);
    expect(stderr).toContain('"dasy" is not a class of the model');
    expect((await desk.run([...args, "--cost", "rose:daisy"])).stderr).toContain("TRUE:PREDICTED=COST");
  });

  it("says what is missing for a model of which nothing is proved", async () => {
    expect((await desk.json(["certify", "nothing-known.st"])).certificates).toEqual([]);
    const text = await desk.print(["certify", "nothing-known.st"]);
    expect(text).toContain("No certificate: no rows were held out in training.");
    expect(text.replaceAll(/\s+/g, " ")).toContain("vouch certify nothing-known.st DATA");
  });
});

describe.concurrent("inspect", () => {
  it("shows learner, data, error and structure", async () => {
    const text = await desk.print(["inspect", "model.st"]);
    expect(text).toMatch(/^ +learner +stump$/m);
    expect(text).toMatch(/^ +trained on +flowers\.csv: 240 rows, 3 columns$/m);
    expect(text).toMatch(/^ +target +species: daisy, rose$/m);
    expect(text).toMatch(/^ +held-out error +\d[\d.]*% of 60 rows$/m);
    expect(text).toMatch(/^stump\n {2}length ≤ [\d.]+\n {2}├─ yes: daisy \(daisy [\d.]+%, rose [\d.]+%\)$/m);
    expect(text).not.toMatch(/[{}]/);
  });

  it("--json gives the card, the complexity, the description and the schema", async () => {
    const document = await desk.json(["inspect", "model.st"]);
    expect(document).toMatchObject({
      learner: "stump",
      seed: 1,
      data: { name: "flowers.csv", rows: 240, features: 3, classes: 2 },
      error: { train: expect.any(Number), test: expect.any(Number) },
      heldOut: { rows: 60, errors: expect.any(Number) },
      complexity: { vcDimension: expect.any(Number) },
      description: { facts: [], sections: [{ kind: "tree", root: { kind: "split" } }] },
      schema: {
        target: "species",
        classes: ["daisy", "rose"],
        columns: [
          { kind: "numeric", name: "length" },
          { kind: "numeric", name: "width" },
          { kind: "categorical", name: "colour", levels: ["blue", "red", "white"] },
        ],
      },
    });
    expect(document.margins).toHaveLength(101);
  });
});
