/** A point that was drawn by hand. */
export interface DrawnPoint {
  readonly x: number;
  readonly y: number;
  /** Index of its class. */
  readonly class: number;
}

/** The most points that a problem drawn by hand may have: the address stays below 2,000 letters. */
export const MOST_POINTS = 400;

/** Half the side of the square in which points are drawn, and which is always shown. */
export const SQUARE = 1.25;

/** Places along each side of the square: 10 bits. */
const PLACES = 1024;

/** Digits that need no escapes in an address; a point takes four: 4 bits for the class and 10 for each coordinate. */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGITS_OF_POINT = 4;

/** Moves a point to the nearest of 1,024 × 1,024 places, so that an address holds it exactly. */
export function snapped(x: number, y: number, classIndex: number): DrawnPoint {
  return { x: coordinate(place(x)), y: coordinate(place(y)), class: classIndex };
}

function place(value: number): number {
  const share = (value + SQUARE) / (2 * SQUARE);
  return Math.max(0, Math.min(PLACES - 1, Math.floor(share * PLACES)));
}

function coordinate(at: number): number {
  return ((at + 0.5) / PLACES) * 2 * SQUARE - SQUARE;
}

/** Writes points as four letters each. */
export function writePoints(points: readonly DrawnPoint[]): string {
  return points.map(({ x, y, class: k }) => writeBits((k << 20) | (place(x) << 10) | place(y))).join("");
}

function writeBits(bits: number): string {
  return [18, 12, 6, 0].map((shift) => DIGITS[(bits >> shift) & 63]).join("");
}

/** Reads points; undefined if the text does not hold points of at most this many classes. */
export function readPoints(text: string, classes: number): DrawnPoint[] | undefined {
  const count = text.length / DIGITS_OF_POINT;
  if (!Number.isInteger(count) || count > MOST_POINTS) return undefined;
  const points: DrawnPoint[] = [];
  for (let start = 0; start < text.length; start += DIGITS_OF_POINT) {
    const digits = Array.from(text.slice(start, start + DIGITS_OF_POINT), (digit) => DIGITS.indexOf(digit));
    if (digits.includes(-1)) return undefined;
    const bits = digits.reduce((sum, digit) => sum * 64 + digit, 0);
    const k = bits >> 20;
    if (k >= classes) return undefined;
    points.push({ x: coordinate((bits >> 10) & 1023), y: coordinate(bits & 1023), class: k });
  }
  return points;
}
