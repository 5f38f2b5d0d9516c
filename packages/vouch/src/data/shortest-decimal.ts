/**
 * The shortest decimal form that reads back as the same number: 1 → "1", −0 → "0". A number of a
 * single-precision column takes the shortest form of that precision: "0.1", not "0.10000000149011612".
 */
export function shortestDecimal(value: number, single = false): string {
  if (!single) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
