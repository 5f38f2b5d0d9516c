/**
 * Reports as HTML files, and pictures for pages.
 *
 * @packageDocumentation
 */

export { certificatePicture, type PicturedModel } from "./certificate-picture.js";
export { type ComparisonReportOptions, comparisonReport } from "./comparison-report.js";
export { type LiveParts, type ReportClient, trainingReport } from "./live.js";
export { reportOf } from "./report-of.js";
export { type ScaledWork, scalingPicture } from "./scaling-picture.js";

// Also here

export type { FactOptions } from "@vouch/views/facts";
