import * as z from "zod";
import { nonNegativeInteger, positiveInteger } from "../runtime/codec/schema-numbers.js";

const possible = ({ rows, errors }: { readonly rows: number; readonly errors: number }) => errors <= rows;

/** Codec of training errors. */
export const trainingErrorsSchema = z
  .strictObject({ rows: positiveInteger, errors: nonNegativeInteger })
  .refine(possible, "more errors than rows");

/** Codec of compression facts. */
export const compressionFactsSchema = z
  .strictObject({
    rows: positiveInteger,
    errors: nonNegativeInteger,
    kept: nonNegativeInteger,
    otherErrors: nonNegativeInteger,
    messages: positiveInteger,
  })
  .refine(possible, "more errors than rows")
  .refine(({ errors, otherErrors }) => otherErrors <= errors, "more errors on some rows than on all");
