import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Desk, flowersCsv } from "../vouch.js";

const desk = new Desk();

test("a model is written as an ONNX file, the same bytes each time, in place of an older file", async () => {
  desk.file("flowers.csv", flowersCsv(120));
  await desk.print("train flowers.csv --learner tree --out tree.vouch".split(" "));
  desk.file("tree.onnx", "an older file");
  const printed = await desk.print("export tree.vouch --out tree.onnx".split(" "));
  expect(printed).toMatch(
    /^model with \d+ inputs? and 2 classes written to tree.onnx; it needs ONNX Runtime 1.1/,
  );
  const first = desk.bytes("tree.onnx");
  const facts = await desk.json("export tree.vouch --format onnx --out tree.onnx".split(" "));
  expect(facts).toMatchObject({ model: "tree.onnx", bytes: first.length, classes: ["daisy", "rose"] });
  expect(facts.outputs).toEqual(["label", "probabilities", "scores"]);
  expect(Buffer.compare(desk.bytes("tree.onnx"), first)).toBe(0);
  expect(desk.names().filter((name) => name.includes("onnx"))).toEqual(["tree.onnx"]);
});

test("wrong uses are explained", async () => {
  desk.file("some.csv", flowersCsv(60));
  await desk.print("train some.csv --learner stump --out stump.vouch".split(" "));
  const fault = (code: 1 | 2, command: string) => desk.fault(code, command.split(" "));
  expect(await fault(2, "export stump.vouch --format onnx --out new.onnx --data some.csv")).toContain(
    "--data and --data-out are for --format libsvm.",
  );
  expect(await fault(2, "export stump.vouch --format onnx --out stump.vouch")).toContain(
    "must differ from the inputs",
  );
  expect(await fault(1, "export stump.vouch --format onnx --out absent/new.onnx")).toContain(
    "no folder absent",
  );
  expect(await fault(1, "export absent.vouch --format onnx --out new.onnx")).toContain("absent.vouch");
  expect(await fault(2, "export stump.vouch --format pmml --out new.onnx")).toContain("onnx, libsvm");
  const bytes = desk.bytes("stump.vouch");
  bytes[bytes.length - 20] ^= 1;
  desk.file("damaged.vouch", bytes);
  expect(await fault(1, "export damaged.vouch --format onnx --out new.onnx")).toContain("damaged");
  expect(existsSync(join(desk.path, "new.onnx"))).toBe(false);
});

test.skipIf(process.getuid?.() === 0)("a folder that is not writable is named", async () => {
  desk.file("flowers.csv", flowersCsv(60));
  await desk.print("train flowers.csv --learner stump --out model.vouch".split(" "));
  mkdirSync(join(desk.path, "locked"));
  chmodSync(join(desk.path, "locked"), 0o500);
  const words = await desk.fault(1, "export model.vouch --format onnx --out locked/model.onnx".split(" "));
  expect(words).toContain("locked is not writable");
});
