import { type Encoder, labelledSampleInSteps, trainingSampleInSteps } from "../encode/encoder.js";
import { fitEncoderInSteps } from "../encode/fit-encoder.js";
import { type Features, Sample } from "../encode/sample.js";
import type { Learner } from "../learners/learner.js";
import { Matrix } from "../runtime/maths/matrix.js";
import { runOnThreads } from "../runtime/parallel/pausable.js";
import type { Run } from "../runtime/parallel/run.js";
import type { Table } from "../table/table.js";
import type { LabelledRows } from "../table/target.js";
import type { SplitRows } from "./split.js";

/** The rows of a split, encoded by an encoder fitted to the training rows only. */
export interface EncodedSplit {
  readonly encoder: Encoder;
  readonly training: Sample<Features>;
  readonly heldOut?: Sample<Features>;
  /** Warnings about columns and categories. */
  readonly notices: readonly string[];
}

/** Encodes all rows before the fit, so that unsuitable test rows are found before hours of work. */
export async function encode(
  { training, heldOut }: SplitRows,
  learner: Learner,
  unlabelledRows: Table | undefined,
  run: Run,
): Promise<EncodedSplit> {
  const encoder = await runOnThreads(fitEncoderInSteps(training.features, training, learner.encoding), run);
  const labelledRows = await runOnThreads(trainingSampleInSteps(encoder, training), run);
  const unlabelled = unlabelledRows && (await runOnThreads(encoder.encodeInSteps(unlabelledRows), run));
  const sample = unlabelled instanceof Matrix ? new Sample({ ...labelledRows, unlabelled }) : labelledRows;
  const notices = [...training.notices, ...encoder.notices];
  if (!heldOut) return { encoder, training: sample, notices };
  notices.push(...heldOut.rows.notices);
  const rows = withoutUnused(heldOut.rows, training, encoder);
  const tested = await runOnThreads(
    labelledSampleInSteps(encoder, rows, (notice) => notices.push(notice)),
    run,
  );
  return { encoder, training: sample, heldOut: tested, notices };
}

/** Drops the columns that the encoder dropped from the training rows, because one note about them is enough. */
export function withoutUnused(rows: LabelledRows, training: LabelledRows, { schema }: Encoder): LabelledRows {
  const used = new Set(schema.columns.map(({ name }) => name));
  const unused = ({ name }: { name: string }) => !used.has(name) && training.features.has(name);
  const dropped = rows.features.columns.filter(unused).map(({ name }) => name);
  return { ...rows, features: rows.features.without(dropped) };
}
