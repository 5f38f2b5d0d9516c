import { type Learner, Table } from "vouch";
import { type Features, fitEncoder, labelledSample, Random, type Sample } from "vouch/extend";

/** Rows of a small table. */
export const ROWS = 60;

/** Two Gaussian features, one useless one and a category, with some labels wrong. */
function smallTable(classes: number): Table {
  const random = new Random(classes);
  const records = Array.from({ length: ROWS }, (_, i) => {
    const k = i % classes;
    return {
      x: random.normal() + 2 * Math.cos(k),
      y: random.normal() + 2 * Math.sin(k),
      noise: random.normal(),
      kind: ["a", "b", "c"][random.integer(3)],
      label: `class ${random.uniform() < 0.1 ? random.integer(classes) : k}`,
    };
  });
  return Table.fromRecords("points", records);
}

/** Encodes a small table for a learner. */
export function smallSample({ encoding }: Learner, classes: number): Sample<Features> {
  const rows = smallTable(classes);
  const names = Array.from({ length: classes }, (_, k) => `class ${k}`);
  const column = rows.column("label");
  if (column.kind !== "categorical") throw new Error("The label is a category.");
  const labels = Int32Array.from(column.codes, (code) => names.indexOf(column.levels[code]));
  const features = rows.without(["label"]);
  const encoder = fitEncoder(features, { target: "label", classes: names }, encoding);
  return labelledSample(encoder, { features, labels });
}
