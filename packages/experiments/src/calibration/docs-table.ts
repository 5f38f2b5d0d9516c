import type { Result } from "../experiment.js";
import { calibrationResultSchema } from "./calibration-result.js";
import { calibrationTable } from "./log-loss-page.js";

const START = "<!-- calibration/log-loss -->\n";
const END = "<!-- end of calibration/log-loss -->";

/** Replaces the table between the marks of a Markdown page by that of a result; throws if the page has no marks. */
export function withCalibrationTable(page: string, { data }: Result): string {
  const from = page.indexOf(START);
  const to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The page has no lines ${START.trim()} and ${END}.`);
  const { cells } = calibrationResultSchema.parse(data);
  return `${page.slice(0, from + START.length)}\n${calibrationTable(cells)}\n\n${page.slice(to)}`;
}
