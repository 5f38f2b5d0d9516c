import type { Certificate } from "./certificate.js";
import type { HeldOut } from "./held-out.js";
import { heldOutBinomial } from "./held-out-binomial.js";
import { heldOutHoeffding } from "./held-out-hoeffding.js";

/** What to certify with. */
export interface CertifyOptions {
  /** The probability with which each bound is to hold; in (0, 1). */
  readonly confidence: number;
  /** The result on other rows; without it the one that the training run itself kept is used, if there is one. */
  readonly heldOut?: HeldOut;
}

/** All certificates that can be given for a classifier: those whose premises hold first, the smallest first. */
export function certify(
  classifier: { readonly card: { readonly heldOut?: HeldOut } },
  options: CertifyOptions,
): Certificate[] {
  const { confidence, heldOut = classifier.card.heldOut } = options;
  if (!heldOut) return [];
  const evidence = { ...heldOut, confidence };
  const certificates = [heldOutBinomial(evidence), heldOutHoeffding(evidence)];
  return certificates.sort((a, b) => Number(b.holds) - Number(a.holds) || order(a.value, b.value));
}

/** Ascending; unlike a − b also for two infinities. */
function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
