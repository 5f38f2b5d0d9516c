import { csvLine, readText } from "@vouch/formats/text";
import {
  type Card,
  type Classifier,
  type Run,
  reasonsFor,
  reasonText,
  Table,
  unlikeTraining,
} from "vouch/train";
import type { NamedFile, PredictedFile, Requests, RowAnswer } from "./protocol.js";

/** Reasons that are shown for a row. */
const MOST_REASONS = 8;

/** Answers for one row, whose cells are as typed; an empty cell is missing. */
export async function answerFor(
  classifier: Classifier<Card>,
  { row }: Requests["ask"],
  run: Partial<Run>,
): Promise<RowAnswer> {
  const { encoder, model, background, card, classes } = classifier;
  const record = Object.fromEntries(
    encoder.schema.columns.map(({ name, kind }) => {
      const text = (row[name] ?? "").trim();
      return [name, text === "" ? null : kind === "numeric" ? Number(text) : text];
    }),
  );
  const kinds = Object.fromEntries(encoder.schema.columns.map(({ name, kind }) => [name, kind]));
  const table = Table.fromRecords("your row", [record], kinds);
  const notices: string[] = [];
  const { predictions, probabilities } = classifier.classify(table, {
    onNotice: (notice) => notices.push(notice),
  });
  const options = { most: MOST_REASONS, seed: card.seed, class: predictions };
  const explained = background
    ? await reasonsFor(model, encoder, background.table, table, options, run)
    : [];
  const findings = await classifier.compareRows(table);
  return {
    prediction: predictions[0],
    probabilities: probabilities
      ? classes.map((name, k) => ({ class: name, probability: probabilities.values[k] }))
      : [],
    reasons: (explained[0]?.reasons ?? []).map((reason) => ({
      text: reasonText(reason),
      contribution: reason.contribution,
    })),
    notices: [...notices, ...findings.filter(({ kind }) => kind === "range").map(({ text }) => text)],
  };
}

/** Predicts the rows of a file and writes them as CSV. */
export async function predictFile(
  classifier: Classifier<Card>,
  { name, file }: NamedFile,
  run: Partial<Run>,
): Promise<PredictedFile> {
  const { columns } = classifier.encoder.schema;
  const named = (kind: string) => columns.filter((column) => column.kind === kind).map((column) => column.name);
  const table = await readText(file, {
    name,
    keepSpelling: [...named("categorical"), ...named("date"), ...named("text")],
    features: 0,
    ...(run.signal && { signal: run.signal }),
    ...(run.progress && { onProgress: run.progress }),
  });
  const notices: string[] = [];
  const { predictions, probabilities } = await classifier.classifyRows(table, {
    onNotice: (notice) => notices.push(notice),
    run,
  });
  const { classes } = classifier;
  const header = csvLine(["prediction", ...(probabilities ? classes.map((each) => `probability:${each}`) : [])]);
  const lines = predictions.map((prediction, row) =>
    csvLine([
      prediction,
      ...(probabilities
        ? probabilities.values.subarray(row * classes.length, (row + 1) * classes.length)
        : []),
    ]),
  );
  const counts = new Map<string, number>();
  for (const prediction of predictions) counts.set(prediction, (counts.get(prediction) ?? 0) + 1);
  const findings = await classifier.compareRows(table);
  const unlike = findings.length > 0 ? unlikeTraining(table.name, findings).message : undefined;
  return {
    rows: table.rows,
    csv: new Blob([header, ...lines], { type: "text/csv" }),
    counts: Array.from(counts, ([each, rows]) => ({ class: each, rows })),
    notices: [...notices, ...(unlike === undefined ? [] : [unlike])],
  };
}
