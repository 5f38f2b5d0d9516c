import { shiftError } from "@vouch/core/internal/checks/data-shift";
import type { Run } from "@vouch/core/internal/runtime/parallel/run";
import type { Card } from "@vouch/core/internal/train/card";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import { csvLine, readTable } from "@vouch/formats";
import { inAPage } from "./advice.js";
import type { NamedFile, PredictedFile } from "./protocol.js";
import type { ReadingChoices } from "./reading-choices.js";

/** Predicts the rows of a file and writes them as CSV. */
export async function predictFile(
  classifier: Classifier<Card>,
  { name, file, reading }: NamedFile & { readonly reading: ReadingChoices },
  run: Partial<Run>,
): Promise<PredictedFile> {
  const { columns } = classifier.encoder.schema;
  const named = (kind: string) =>
    columns.filter((column) => column.kind === kind).map((column) => column.name);
  const table = await readTable(file, {
    ...reading,
    name,
    verbatim: [...named("categorical"), ...named("date"), ...named("text")],
    expectNumbers: named("numeric"),
    features: 0,
    ...(run.signal && { signal: run.signal }),
    ...(run.progress && { onProgress: run.progress }),
  });
  const notices = table.noticesAbout(columns.map((column) => column.name));
  const { predictions, probabilities } = await classifier.classifyRows(table, {
    onNotice: (notice) => notices.push(notice),
    run,
  });
  const { classes } = classifier;
  const header = csvLine([
    "prediction",
    ...(probabilities ? classes.map((each) => `probability:${each}`) : []),
  ]);
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
  const unlike = findings.length > 0 ? shiftError(table.name, findings).message : undefined;
  return {
    rows: table.rows,
    csv: new Blob([header, ...lines], { type: "text/csv" }),
    counts: Array.from(counts, ([each, rows]) => ({ class: each, rows })),
    notices: [...notices, ...(unlike === undefined ? [] : [unlike])].map(inAPage),
  };
}
