import { formatCount, formatNumber } from "../number-format.js";

/** What one machine has to say. */
export interface MachineNotices {
  readonly name: string;
  readonly notices: readonly string[];
}

/** What machines say, each thing once: texts that differ in their numbers only are one thing. */
export function joinedNotices(machines: readonly MachineNotices[]): string[] {
  const said = new Map<string, { first: string; name: string; count: number }>();
  for (const { name, notices } of machines) {
    for (const notice of notices) {
      const kind = notice.replaceAll(/[\d.,]*\d(e[-+]?\d+)?/g, "#");
      const known = said.get(kind);
      if (known) known.count++;
      else said.set(kind, { first: notice, name, count: 1 });
    }
  }
  return Array.from(said.values(), ({ first, name, count }) =>
    count === 1
      ? `The machine for ${name}: ${first}`
      : `${formatNumber(count)} of ${formatCount(machines.length, "machine")}, such as that for ${name}: ${first}`,
  );
}
