import { converted, object, optional, type Part } from "../../runtime/codec/parts.js";
import { float64, int32, matrix, records } from "../../runtime/codec/tensor-parts.js";
import { kernelVectors } from "../kernel/kernel-features.js";
import { kernelSchema } from "../kernel/kernel-options.js";
import { OneVsOne } from "./pair-machines.js";

/** Returns the number of pairs of the classes that a model was trained on. */
export const pairCount = ({ trained }: Readonly<Record<string, number>>): number =>
  (trained * (trained - 1)) / 2;

/** The codec of the machines of all pairs of the classes that a model was trained on. */
export const oneVsOneMachines: Part<OneVsOne> = converted(
  object({
    kernel: kernelSchema,
    supportVectors: kernelVectors("supportVectors", "features"),
    counts: int32(["trained"], { min: 0 }),
    coefficients: matrix("supportVectors", ({ trained }) => trained - 1),
    biases: float64([pairCount]),
    sigmoids: optional(records(pairCount, { A: { type: "float64" }, B: { type: "float64" } })),
  }),
  (machines) => machines,
  (parts) => {
    const { rows } = parts.supportVectors;
    const counted = parts.counts.reduce((sum, count) => sum + count, 0);
    return rows > 0 && counted === rows
      ? new OneVsOne(parts)
      : `it has ${rows} support vectors, but its classes have ${counted}`;
  },
);
