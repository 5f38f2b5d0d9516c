import { beforeAll, describe, expect, it } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

/** Rewrites the cells of a CSV file. */
function rewritten(csv: string, change: (cells: string[], row: number) => string[]): string {
  const [header, ...lines] = csv.trim().split("\n");
  return [header, ...lines.map((line, row) => change(line.split(","), row).join(","))].join("\n");
}

const fresh = flowersCsv(120, 2);
const [header] = fresh.split("\n");
const names = header.split(",");

beforeAll(async () => {
  desk.file("flowers.csv", flowersCsv(300, 1));
  desk.file("fresh.csv", fresh);
  const first = (value: (cell: string) => string) => (cells: string[], row: number) =>
    row === 16 ? [value(cells[0]), ...cells.slice(1)] : cells;
  desk.file(
    "far.csv",
    rewritten(
      fresh,
      first((cell) => String(Number(cell) * 10_000)),
    ),
  );
  desk.file("swapped.csv", fresh.replace(header, [names[1], names[0], ...names.slice(2)].join(",")));
  desk.file(
    "empty.csv",
    rewritten(fresh, (cells, row) =>
      row === 4 ? cells.map((cell, j) => (j === names.length - 1 ? cell : "")) : cells,
    ),
  );
  await desk.print(["train", "flowers.csv", "--learner", "stump", "--out", "model.st"]);
});

const commands = ["predict", "evaluate", "certify"] as const;

describe.concurrent("rows unlike the training rows", () => {
  it.each(commands)(
    "%s says nothing about rows like the training rows, also with --strict",
    async (command) => {
      const { code, stderr } = await desk.run([command, "model.st", "fresh.csv", "--strict"]);
      expect([code, stderr]).toEqual([0, ""]);
    },
  );

  it.each(commands)(
    "%s notes a number far outside the range, swapped headers and an empty row",
    async (command) => {
      const notes = async (file: string) =>
        (await desk.run([command, "model.st", file])).stderr.replaceAll(/\s+/g, " ");
      expect(await notes("far.csv")).toContain(
        `note: Column "${names[0]}": 1 of 120 rows is far outside the training range`,
      );
      expect(await notes("swapped.csv")).toMatch(/note: Columns "\w+" and "\w+" look swapped/);
      expect(await notes("empty.csv")).toContain(
        "1 row has no value in any column that the model uses: row 5.",
      );
    },
  );

  it.each(commands)("with --strict, %s fails and writes nothing", async (command) => {
    const out = command === "predict" ? ["--out", "predictions.csv"] : [];
    for (const file of ["far.csv", "swapped.csv", "empty.csv"]) {
      const message = await desk.fault(1, [command, "model.st", file, "--strict", ...out]);
      expect(message).toContain(`${file} is unlike the training rows of the model.`);
    }
    expect(desk.names()).not.toContain("predictions.csv");
  });

  it("with --strict, predict prints nothing of many rows if a late one is unlike the training rows", async () => {
    const many = flowersCsv(40_000, 3);
    desk.file("many.csv", many);
    desk.file(
      "late.csv",
      rewritten(many, (cells, row) => (row === 39_990 ? ["1e9", ...cells.slice(1)] : cells)),
    );
    expect(await desk.fault(1, ["predict", "model.st", "late.csv", "--strict"])).toContain(
      "late.csv is unlike the training rows",
    );
    const strict = await desk.print(["predict", "model.st", "many.csv", "--strict"]);
    expect(strict.split("\n")).toHaveLength(40_002);
    expect(strict).toBe(await desk.print(["predict", "model.st", "many.csv"]));
  });

  it("lists findings in JSON", async () => {
    for (const command of ["evaluate", "certify"]) {
      const { findings } = await desk.json([command, "model.st", "swapped.csv"]);
      expect(findings).toMatchObject([{ kind: "swapped", rows: 120, columns: expect.any(Array) }]);
      expect((await desk.json([command, "model.st", "fresh.csv"])).findings).toEqual([]);
    }
  });

  it("certify does not certify by the training rows, whose premise looks violated", async () => {
    const premises = async (file: string) => {
      const { certificates } = await desk.json(["certify", "model.st", file]);
      const ofRows = (text: string) =>
        certificates.flatMap((one: { premises: { text: string; status: string }[] }) =>
          one.premises.filter((premise) => premise.text.startsWith(text)).map(({ status }) => status),
        );
      return [ofRows("The training rows are"), ofRows("The held-out rows are")].map((all) => [
        ...new Set(all),
      ]);
    };
    expect(await premises("fresh.csv")).toEqual([["assumed"], ["assumed"]]);
    // A bound from held-out rows is about cases like them, whatever the training rows were like.
    expect(await premises("swapped.csv")).toEqual([["violated"], ["assumed"]]);
    const { stderr } = await desk.run(["certify", "model.st", "swapped.csv"]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      "the premise of bounds from the training rows looks violated",
    );
  });

  it("cannot be asked of a model without a summary of its training rows", async () => {
    desk.file("libsvm.model", LIBSVM);
    desk.file("points.csv", "f1,label\n1,1\n");
    await desk.print(["import", "libsvm.model", "--format", "libsvm", "--out", "imported.st"]);
    const message = await desk.fault(2, ["predict", "imported.st", "points.csv", "--strict"]);
    expect(message).toContain("--strict needs a summary of the training rows");
    await desk.print(["predict", "imported.st", "points.csv"]);
  });
});

const LIBSVM = `svm_type c_svc
kernel_type linear
nr_class 2
total_sv 2
rho 0
label 1 -1
nr_sv 1 1
SV
1 1:1
-1 1:-1
`;
