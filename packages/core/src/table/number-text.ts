/** Parses a number, such as "+1", "2.50" or "1e3"; NaN for any other string, such as "", "0x10" or "Infinity". */
export function numberOf(text: string): number {
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? finiteOrNaN(Number(text)) : Number.NaN;
}

function finiteOrNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/**
 * Sorts names in natural order: by value if all are numbers ("2" before "10", "-1" before "+1"), otherwise by code
 * point.
 */
export function inNaturalOrder(names: Iterable<string>): string[] {
  const sorted = [...names].sort(compareCodePoints);
  const values = new Map(sorted.map((name) => [name, numberOf(name)]));
  for (const value of values.values()) if (Number.isNaN(value)) return sorted;
  return sorted.sort((a, b) => (values.get(a) ?? 0) - (values.get(b) ?? 0));
}

function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Ranks UTF-16 units with surrogates last, which makes unit order the order of code points. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/**
 * Formats a number in the shortest decimal form that reads back as the same number: 1 → "1", −0 → "0". Single-precision
 * numbers take the shortest form of that precision: "0.1", not "0.10000000149011612".
 */
export function shortestDecimal(value: number, single = false): string {
  if (!single) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
