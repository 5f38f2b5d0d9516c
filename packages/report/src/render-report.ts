import { readFile } from "node:fs/promises";
import type { Table } from "@vouch/core/internal/table/table";
import { serialise } from "@vouch/core/internal/train/model-file";
import type { Training } from "@vouch/core/internal/train/training";
import { type FactOptions, trainingFacts } from "@vouch/views/facts";
import type { ReportClient } from "./client-script.js";
import { type TrainingReportOptions, trainingReport } from "./training-report.js";

/** Options of `renderReport`. */
export interface ReportOptions extends FactOptions, Pick<TrainingReportOptions, "without" | "modelFile"> {}

/**
 * Renders the live report of a training as one HTML page. The table must be the one that the classifier was trained on.
 */
export async function renderReport(
  training: Training,
  table: Table,
  { without, modelFile, ...options }: ReportOptions = {},
): Promise<string> {
  const facts = await trainingFacts(training, table, options);
  const model = await serialise(training.classifier);
  return trainingReport(facts, { model, modelFile, client: await reportClient(), without });
}

/** Reads the script of live reports, which the build puts beside this module. */
async function reportClient(): Promise<ReportClient> {
  return JSON.parse(await readFile(new URL("client.json", import.meta.url), "utf8"));
}
