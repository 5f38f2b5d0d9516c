import { thinned } from "./thinned.js";

/** A point of a curve in a unit square. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
}

/** Two points that are nearer to each other than this are one in a figure of some 300 pixels. */
const NEAR = 0.003;

/** A curve without the points that nobody sees: those near to the one before. The first and the last stay. */
export function thinnedCurve(points: readonly CurvePoint[]): readonly CurvePoint[] {
  const kept: CurvePoint[] = [];
  points.forEach((point, i) => {
    const last = kept.at(-1);
    const isEnd = i === 0 || i === points.length - 1;
    if (isEnd || !last || Math.abs(point.x - last.x) > NEAR || Math.abs(point.y - last.y) > NEAR) {
      kept.push(point);
    }
  });
  return thinned(kept);
}
