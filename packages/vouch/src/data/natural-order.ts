/** The number that a text spells, or NaN: "+1", "2.50", "1e3", but not "", "0x10" or "Infinity". */
export function numberOf(text: string): number {
  return /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? finiteOrNaN(Number(text)) : Number.NaN;
}

function finiteOrNaN(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/**
 * Names in the order people expect, whatever order they came in: by value when all of them are numbers
 * ("2" before "10", "-1" before "+1"), by code point otherwise.
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

/** Moves the halves of surrogate pairs behind all other UTF-16 units: then unit order is code-point order. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
