/** `prefix` followed by 1, 2, …, `count`, padded with zeros to `digits`. */
export function numbered(prefix: string, count: number, digits = 1): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i + 1).padStart(digits, "0")}`);
}

/** `p` with row and column of each pixel of an image, from 0, row by row. */
export function pixels(size: number, digits: number, between: string): string[] {
  const two = (n: number) => String(n).padStart(digits, "0");
  return Array.from(
    { length: size * size },
    (_, i) => `p${two(Math.floor(i / size))}${between}${two(i % size)}`,
  );
}
