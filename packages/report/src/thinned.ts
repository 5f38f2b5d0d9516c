/** More points than this are not told apart in a figure of some 700 pixels. */
const mostPoints = 500;

/** The points themselves or, of very many, an evenly spaced part with the first and the last. */
export function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= mostPoints) return points;
  const stride = (points.length - 1) / (mostPoints - 1);
  return Array.from({ length: mostPoints }, (_, i) => points[Math.round(i * stride)]);
}
