export { certificatePicture, type PicturedModel } from "./certificate-picture.js";
export { type ComparisonReportOptions, comparisonReport } from "./comparison-report.js";
export { type ReportOptions, reportOf } from "./report-of.js";
export { type ScaledWork, scalingPicture } from "./scaling-picture.js";
