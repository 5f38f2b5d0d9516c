/**
 * Reports as HTML files.
 *
 * @packageDocumentation
 */

export type { ReportClient } from "./client-script.js";
export { type ComparisonReportOptions, comparisonReport } from "./comparison-report.js";
export { type ReportOptions, renderReport } from "./render-report.js";
export { type TrainingReportOptions, trainingReport } from "./training-report.js";
