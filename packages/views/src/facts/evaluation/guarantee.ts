import type { Certificate } from "@vouch/core/internal/theory/certificate";

/** Returns whether the premises hold and the bound is informative. */
export function givesGuarantee({ holds, reason }: Certificate): boolean {
  return holds && reason === undefined;
}

/**
 * Returns whether a certificate bounds the error on new cases, rather than another measure or the error of one class.
 */
export function boundsError({ measure }: Certificate): boolean {
  return measure === "error" || measure === "group-error";
}
