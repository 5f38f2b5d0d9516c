import type { Result } from "../experiment.js";
import { withMarkedText } from "../marked-text.js";
import { calibrationResultSchema } from "./calibration-result.js";
import { calibrationTable } from "./log-loss-page.js";

/** Replaces the table between the marks of a Markdown page by a result's table; throws if the page has no marks. */
export function withCalibrationTable(page: string, { data }: Result): string {
  const { cells } = calibrationResultSchema.parse(data);
  return withMarkedText(page, "calibration/log-loss", calibrationTable(cells));
}
