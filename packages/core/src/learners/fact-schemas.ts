import * as z from "zod";
import { counted, countedFromOne } from "../runtime/number-ranges.js";

const possible = ({ rows, errors }: { readonly rows: number; readonly errors: number }) => errors <= rows;

/** Codec of training errors. */
export const trainingErrorsSchema = z
  .strictObject({ rows: countedFromOne, errors: counted })
  .refine(possible, "more errors than rows");

/** Codec of compression facts. */
export const compressionFactsSchema = z
  .strictObject({
    rows: countedFromOne,
    errors: counted,
    kept: counted,
    otherErrors: counted,
    messages: countedFromOne,
  })
  .refine(possible, "more errors than rows")
  .refine(({ errors, otherErrors }) => otherErrors <= errors, "more errors on some rows than on all");
