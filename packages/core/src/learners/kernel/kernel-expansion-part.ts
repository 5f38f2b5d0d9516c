import { converted, object, type Part } from "../../runtime/codec/parts.js";
import { nonNegativeNumber, realNumber } from "../../runtime/codec/schema-numbers.js";
import { float64 } from "../../runtime/codec/tensor-parts.js";
import { KernelExpansion } from "./kernel-expansion.js";
import { kernelVectors } from "./kernel-features.js";
import { kernelSchema } from "./kernel-options.js";

/** A kernel expansion as a part of a model, on the model's features; the size `support` counts its support vectors. */
export const kernelExpansion: Part<KernelExpansion> = converted(
  object({
    kernel: kernelSchema,
    support: kernelVectors("support", "features"),
    coefficients: float64(["support"]),
    bias: realNumber,
    norm: nonNegativeNumber,
  }),
  (expansion) => expansion,
  (parts) => new KernelExpansion(parts),
);
