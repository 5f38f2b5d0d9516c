import { formatCount, formatNumber, type Json } from "vouch";
import { isRecord } from "./structure.js";

/** A part of a cascade's description. */
type Part = { readonly [key: string]: Json };

/**
 * A cascade as a small tree: at each gate what it asks, then the points that stay behind and how their leaf does, then
 * those that go on.
 *
 *     600 points: distance ≤ 0.7591 goes on (fraction 0.6)
 *     ├─ 240 stay: polynomial of degree 2, scale 1
 *     │  right 239, wrong 1; pays its penalty 0.00446, less than its share 0.398
 *     └─ 360 go on: polynomial of degree 3, scale 1
 *        right 357, wrong 3; pays its penalty 0.00566, less than its share 0.595
 */
export function cascadeLines(cascade: Part): string[] {
  return partLines(formatCount(Number(cascade.points), "point"), cascade);
}

/** Lines of a part; the title says which points came there. */
function partLines(title: string, part: Part): string[] {
  const { stay, on, question, fraction } = part;
  if (stay === undefined || on === undefined || !isRecord(stay) || !isRecord(on)) {
    return leafLines(title, part);
  }
  const asks = question !== undefined && isRecord(question) ? text(question.asks) : "";
  const share = fraction === undefined ? "" : ` (fraction ${text(fraction)})`;
  return [
    `${title}: ${asks} goes on${share}`,
    ...branch("├─ ", "│  ", partLines(`${text(stay.points)} stay`, stay)),
    ...branch("└─ ", "   ", partLines(`${text(on.points)} go on`, on)),
  ];
}

function leafLines(title: string, { classifier, C, right, wrong, penalty, share, active }: Part): string[] {
  const settings = C === undefined ? "" : `, C ${text(C)}`;
  const pays =
    active === "penalty"
      ? `pays its penalty ${text(penalty)}, less than its share ${text(share)}`
      : `pays its share ${text(share)}, not more than its penalty ${text(penalty)}`;
  return [`${title}: ${text(classifier)}${settings}`, `right ${text(right)}, wrong ${text(wrong)}; ${pays}`];
}

function branch(first: string, next: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => (i === 0 ? first : next) + line);
}

function text(value: Json | undefined): string {
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "string" ? value : "?";
}
