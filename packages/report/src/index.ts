export { type CertifiedModel, certificatePicture } from "./certificate-picture.js";
export { type ComparisonReportOptions, comparisonReport } from "./comparison-report.js";
export { type ReportOptions, reportOf } from "./report-of.js";
