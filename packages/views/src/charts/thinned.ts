/** More points than this are indistinguishable in a figure of 700 pixels. */
const mostPoints = 500;

/** Thins out many points evenly; keeps the first and the last. */
export function thinned<T>(points: readonly T[], most = mostPoints): readonly T[] {
  if (points.length <= most) return points;
  const stride = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => points[Math.round(i * stride)]);
}
