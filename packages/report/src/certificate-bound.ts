import { type Certificate, formatLowerBound, formatNumber, formatUpperBound } from "vouch/train";

/** Tells whether the premises hold and the bound says something. */
export function givesGuarantee({ holds, reason }: Certificate): boolean {
  return holds && reason === undefined;
}

/** Tells whether a certificate bounds the error on new cases, and not the error of one class or another measure. */
export function boundsError({ measure }: Certificate): boolean {
  return measure === "error" || measure === "group-error";
}

/** Writes a bound, "≤ 23.6 %" or "≥ 0.612", rounded such that the number shown is still a bound. */
export function boundText({ measure, bound }: Certificate, value: number): string {
  switch (measure) {
    case "auc":
      return `≥ ${formatNumber(outward(value, 1000, Math.floor))}`;
    case "brier":
    case "log-loss":
    case "cost":
      return `≤ ${formatNumber(outward(value, threeDigits(value), Math.ceil))}`;
    default:
      return bound === "lower" ? `≥ ${formatLowerBound(value)}` : `≤ ${formatUpperBound(value)}`;
  }
}

/** Returns the scale on which a number has three digits before the point. */
function threeDigits(value: number): number {
  return 10 ** (2 - Math.floor(Math.log10(Math.max(value, 1e-9))));
}

function outward(value: number, scale: number, round: (scaled: number) => number): number {
  // 0.07 · 100 is 7.000000000000001, which must not become 8.
  return round(Number((value * scale).toPrecision(12))) / scale;
}
