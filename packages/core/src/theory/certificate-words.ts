import {
  formatLowerBound,
  formatLowerNumber,
  formatRoundPercent,
  formatUpperBound,
  formatUpperNumber,
} from "../runtime/text/number-format.js";
import type { Certificate } from "./certificate.js";

/** Formats a bound with its direction, rounded so that the number shown is still a bound: "≤ 8.3%", "≥ 0.71". */
export function boundText({ measure, bound }: Certificate, value: number): string {
  switch (measure) {
    case "auc":
      return `≥ ${formatLowerNumber(value)}`;
    case "brier":
    case "log-loss":
    case "cost":
      return `≤ ${formatUpperNumber(value)}`;
    default:
      return bound === "lower" ? `≥ ${formatLowerBound(value)}` : `≤ ${formatUpperBound(value)}`;
  }
}

/** Describes which certificates hold together, and with what values; undefined unless there are several. */
export function describeSimultaneous(certificates: readonly Certificate[]): string | undefined {
  const count = certificates.filter(({ together }) => together !== undefined).length;
  if (count < 2) return undefined;
  const confidence = formatRoundPercent(certificates[0].confidence);
  return `Each bound holds with ${confidence} confidence by itself. If you rely on several, use the values “all together”: with these, all ${count} hold at once with ${confidence} confidence.`;
}
