/**
 * Write live reports in a browser: facts, model and script are given.
 *
 * @packageDocumentation
 */

export type { ReportClient } from "./client-script.js";
export { type ReportPart, type TrainingReportOptions, trainingReport } from "./training-report.js";
