export interface DrawnPoint {
  readonly x: number;
  readonly y: number;
  /** Index of its class. */
  readonly class: number;
}

/** Maximum number of points in a drawn problem; it keeps the address below 2,000 characters. */
export const MOST_POINTS = 400;

/** Half the side of the drawing square, which is always visible. */
export const SQUARE = 1.25;

/** Grid positions along each side of the square: 10 bits. */
const PLACES = 1024;

/**
 * Digits that need no escapes in an address. A point takes four digits: 4 bits for the class and 10 for each
 * coordinate.
 */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGITS_OF_POINT = 4;

/** Snaps a point to a grid of 1,024 × 1,024 positions, so that an address can encode it exactly. */
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

/** Encodes points with four characters each. */
export function writePoints(points: readonly DrawnPoint[]): string {
  return points.map(({ x, y, class: k }) => writeBits((k << 20) | (place(x) << 10) | place(y))).join("");
}

function writeBits(bits: number): string {
  return [18, 12, 6, 0].map((shift) => DIGITS[(bits >> shift) & 63]).join("");
}

/** Decodes points; undefined if the text does not encode points of at most `classes` classes. */
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
