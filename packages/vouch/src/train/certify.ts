import { bestOf, type Certificate, confidenceOfEach, riskOfFailure } from "../theory/certificate.js";
import {
  type HeldOut,
  type HeldOutEvidence,
  heldOutBinomial,
  heldOutHoeffding,
} from "../theory/held-out/held-out.js";
import { settled } from "../theory/training-certificate.js";

/** How to certify: at which confidence, and from which test. */
export interface CertifyOptions {
  /** The probability with which each bound must hold, in (0, 1); 0.95 by default. */
  readonly confidence?: number;
  /** A result on other held-out rows; by default the one of the training run, if there is one. */
  readonly heldOut?: HeldOut;
}

/** The parts of a classifier that certificates come from. */
export interface Certifiable {
  readonly card: {
    /** The result on the rows that the training run held out. */
    readonly heldOut?: HeldOut | undefined;
    /** Present if the training rows chose the learner; `among` is the number of candidates. */
    readonly choice?: { readonly among: number } | undefined;
  };
  /** The model, with its certificates from the training rows alone. */
  readonly model?: {
    certificates?(options: { readonly confidence: number }): readonly Certificate[];
  };
}

/**
 * Lists all certificates of a classifier. The first is the one to quote: the held-out certificate if it is informative, because it
 * was fixed before any value was seen; otherwise `best-of`, if there are several to choose from. The others follow, those whose
 * premises hold first, then by value, smallest first.
 */
export function certify(certifiable: Certifiable, options: CertifyOptions = {}): Certificate[] {
  const { confidence = 0.95, heldOut = certifiable.card.heldOut } = options;
  const { card, model } = certifiable;
  const evidence = { card, model, heldOut };
  const certificates = certificatesAt(confidence, evidence);
  const best = combined(certificates, confidence, evidence);
  const all = [...certificates, ...(best ? [best] : [])].sort(
    (a, b) => Number(b.holds) - Number(a.holds) || order(a.value, b.value),
  );
  const quoted = all.find(({ name, reason }) => name === "held-out-binomial" && reason === undefined) ?? best;
  return quoted ? [quoted, ...all.filter((certificate) => certificate !== quoted)] : all;
}

/** A classifier, and the result on the held-out rows that the caller chose, if any. */
interface Evidence extends Certifiable {
  readonly heldOut: HeldOut | undefined;
}

function certificatesAt(confidence: number, { card, model, heldOut }: Evidence): Certificate[] {
  riskOfFailure(confidence);
  return [
    ...(heldOut ? heldOutCertificates({ ...heldOut, confidence }) : []),
    ...trainingCertificates(confidence, { card, model }),
  ];
}

/** Lists the certificates from the training rows, each at δ/k if these rows chose the learner among k. */
function trainingCertificates(confidence: number, { card, model }: Certifiable): readonly Certificate[] {
  const candidates = card.choice?.among ?? 1;
  const certificates = model?.certificates?.({ confidence: confidenceOfEach(confidence, candidates) }) ?? [];
  return certificates.map((certificate) => settled(certificate, { candidates }, confidence));
}

/** Takes the best of the candidates, each with an equal share of δ; undefined if there are fewer than two. */
function combined(
  certificates: readonly Certificate[],
  confidence: number,
  evidence: Evidence,
): Certificate | undefined {
  const count = certificates.filter(isCandidate).length;
  if (count < 2) return undefined;
  const share = confidenceOfEach(confidence, count);
  return bestOf(certificatesAt(share, evidence).filter(isCandidate), confidence);
}

function isCandidate({ role }: Certificate): boolean {
  return role !== "comparison";
}

function heldOutCertificates(evidence: HeldOutEvidence): Certificate[] {
  return [heldOutBinomial(evidence), heldOutHoeffding(evidence)];
}

/** Compares in ascending order; unlike a − b also two infinities. */
function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
