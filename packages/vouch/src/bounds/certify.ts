import type { Certificate } from "./certificate.js";
import type { HeldOut, HeldOutEvidence } from "./held-out.js";
import { heldOutBinomial } from "./held-out-binomial.js";
import { heldOutHoeffding } from "./held-out-hoeffding.js";

/** What to certify with. */
export interface CertifyOptions {
  /** The probability with which each bound is to hold; in (0, 1). */
  readonly confidence: number;
  /** The result on other rows; without it the one that the training run itself kept is used, if there is one. */
  readonly heldOut?: HeldOut;
}

/** The parts of a classifier that certificates come from. */
export interface Certifiable {
  /** Keeps the result on the rows that the training run held out. */
  readonly card: { readonly heldOut?: HeldOut };
  /** Knows what follows from its training alone. */
  readonly model?: {
    certificates?(options: { readonly confidence: number }): readonly Certificate[];
  };
}

/** All certificates that can be given for a classifier: those whose premises hold first, the smallest first. */
export function certify({ card, model }: Certifiable, options: CertifyOptions): Certificate[] {
  const { confidence, heldOut = card.heldOut } = options;
  const certificates = [
    ...(heldOut ? heldOutCertificates({ ...heldOut, confidence }) : []),
    ...(model?.certificates?.({ confidence }) ?? []),
  ];
  return certificates.sort((a, b) => Number(b.holds) - Number(a.holds) || order(a.value, b.value));
}

function heldOutCertificates(evidence: HeldOutEvidence): Certificate[] {
  return [heldOutBinomial(evidence), heldOutHoeffding(evidence)];
}

/** Ascending; unlike a − b also for two infinities. */
function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
