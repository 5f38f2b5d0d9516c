import * as z from "zod";
import {
  checked,
  type Fields,
  list,
  object,
  optional,
  readParts,
  variant,
  writeParts,
} from "../runtime/codec/parts.js";
import { nonNegativeNumber } from "../runtime/codec/schema-numbers.js";
import { corrupt, type State } from "../runtime/codec/state.js";
import { float64 } from "../runtime/codec/tensor-parts.js";
import { Calibrator, type CalibratorParts, calibrationMethods, LARGEST_COEFFICIENT } from "./calibrator.js";

const coefficient = { min: -LARGEST_COEFFICIENT, max: LARGEST_COEFFICIENT };
const slope = { min: 0, max: LARGEST_COEFFICIENT };

const knots = checked(
  object({
    at: float64(["knots"], coefficient),
    probabilities: float64(["knots"], { min: 0, max: 1 }),
  }),
  ({ at, probabilities }) => {
    if (at.length === 0) return "a curve has no knots";
    for (let k = 1; k < at.length; k++) {
      if (!(at[k] > at[k - 1])) return `knot ${k} is not to the right of the one before`;
      if (!(probabilities[k] >= probabilities[k - 1])) return `the curve falls at knot ${k}`;
    }
    return undefined;
  },
);

const fields = {
  method: z.enum(calibrationMethods),
  scoring: z.enum(["probability", "decision"]),
  floor: z.number().positive().max(0.5),
  scale: nonNegativeNumber.positive(),
  slopes: float64(["classes"], slope),
  intercepts: float64(["classes"], coefficient),
  curves: optional(
    variant({
      beta: {
        a: float64(["curves"], slope),
        b: float64(["curves"], slope),
        c: float64(["curves"], coefficient),
      },
      isotonic: { knots: list(knots, { as: "curves" }) },
    }),
  ),
} satisfies Fields;

/** Encodes a calibrator for a model file. */
export function calibratorState({ parts, classes }: Calibrator): State {
  return writeParts(fields, parts, { classes });
}

/** Restores a calibrator for a number of classes from an untrusted file. */
export function restoreCalibrator(state: State, classes: number): Calibrator {
  const parts = readParts("calibrator", fields, state, { classes });
  const fault = findFault(parts, classes);
  if (fault !== undefined) throw corrupt(`The calibrator is damaged: ${fault}.`);
  return new Calibrator(parts);
}

function findFault(
  { method, scoring, floor, slopes, curves }: CalibratorParts,
  classes: number,
): string | undefined {
  if (floor * classes >= 1) return `${classes} probabilities of at least ${floor} do not sum to 1`;
  if (method === "none" && scoring === "decision") return "decision values are not calibrated";
  if (classes === 2 && slopes[0] !== slopes[1]) return "the slopes of two classes differ";
  const expected = method === "beta" || method === "isotonic" ? method : undefined;
  if (curves?.kind !== expected) return `the method ${method} has ${curves ? curves.kind : "no"} curves`;
  const count = curves && (curves.kind === "beta" ? curves.a : curves.knots).length;
  const wanted = classes === 2 ? 1 : classes;
  if (count !== undefined && count !== wanted) return `it has ${count} curves for ${classes} classes`;
  return undefined;
}
