import { Random } from "@vouch/core/internal/runtime/maths/random";
import { type DrawnPoint, SQUARE } from "./drawn-points.js";

/** Problems of the playground: five generated ones, and points drawn by hand. */
export const problemNames = ["moons", "circles", "spirals", "xor", "blobs", "drawn"] as const;
export type ProblemName = (typeof problemNames)[number];

/** Maximum number of classes; each has a letter, a colour and a shape. */
export const MOST_CLASSES = 6;

export const CLASS_LETTERS = "ABCDEF";

/** How to generate a problem; ignored for drawn points, except the problem itself. */
export interface ProblemSettings {
  readonly problem: ProblemName;
  readonly rows: number;
  /** Standard deviation of the normal noise on both coordinates. */
  readonly noise: number;
  /** Number of classes; moons and xor always have two. */
  readonly classes: number;
  readonly seed: number;
  readonly points: readonly DrawnPoint[];
}

/** Labelled points in the plane. Plain data. */
export interface PlanePoints {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Index of the class of each point: 0 is A. */
  readonly classOf: Int32Array;
}

export function hasManyClasses(problem: ProblemName): boolean {
  return problem === "circles" || problem === "spirals" || problem === "blobs";
}

/** Generates the points of a problem, the same for the same settings. */
export function generatePoints(settings: ProblemSettings): PlanePoints {
  const { problem, rows, noise, seed } = settings;
  if (problem === "drawn") return drawnPlane(settings.points);
  const classes = hasManyClasses(problem) ? settings.classes : 2;
  const random = new Random(seed);
  const x = new Float64Array(rows);
  const y = new Float64Array(rows);
  const classOf = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    const place = placeOf[problem](i % classes, classes, random);
    x[i] = place.x + noise * random.normal();
    y[i] = place.y + noise * random.normal();
    classOf[i] = place.class ?? i % classes;
  }
  return { x, y, classOf };
}

function drawnPlane(points: readonly DrawnPoint[]): PlanePoints {
  return {
    x: Float64Array.from(points, ({ x }) => x),
    y: Float64Array.from(points, ({ y }) => y),
    classOf: Int32Array.from(points, (point) => point.class),
  };
}

/** A point before noise is added; its class defaults to the requested one. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly class?: number;
}

type Generated = Exclude<ProblemName, "drawn">;

const placeOf: Readonly<Record<Generated, (k: number, classes: number, random: Random) => Place>> = {
  moons(k, _, random) {
    const angle = Math.PI * random.uniform();
    const side = k === 0 ? 1 : -1;
    return {
      x: 0.7 * (side * Math.cos(angle) - side * 0.5),
      y: 0.7 * (side * Math.sin(angle) - side * 0.25),
    };
  },
  circles: (k, classes, random) => onCircle((0.95 * (k + 1)) / classes, random.uniform()),
  spirals(k, classes, random) {
    const radius = 0.08 + 0.9 * random.uniform();
    return onCircle(radius, k / classes + radius);
  },
  xor(_, __, random) {
    const x = 2 * random.uniform() - 1;
    const y = 2 * random.uniform() - 1;
    return { x, y, class: x > 0 === y > 0 ? 0 : 1 };
  },
  blobs: (k, classes) => onCircle(0.65, k / classes + 1 / 8),
};

function onCircle(radius: number, turns: number): Place {
  return { x: radius * Math.cos(2 * Math.PI * turns), y: radius * Math.sin(2 * Math.PI * turns) };
}

export function halfSide({ x, y }: PlanePoints): number {
  let farthest = 0;
  for (let i = 0; i < x.length; i++) farthest = Math.max(farthest, Math.abs(x[i]), Math.abs(y[i]));
  return farthest <= SQUARE ? SQUARE : 1.05 * farthest;
}
