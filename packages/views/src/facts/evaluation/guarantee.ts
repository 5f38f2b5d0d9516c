import type { Certificate } from "@vouch/core/internal/theory/certificate";

/** Tells whether the premises hold and the bound says something. */
export function givesGuarantee({ holds, reason }: Certificate): boolean {
  return holds && reason === undefined;
}

/** Tells whether a certificate bounds the error on new cases, and not the error of one class or another measure. */
export function boundsError({ measure }: Certificate): boolean {
  return measure === "error" || measure === "group-error";
}
