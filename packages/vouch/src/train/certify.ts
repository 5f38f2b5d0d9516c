import { bestOf, type Certificate, chosenAmong, confidenceOfEach } from "../theory/certificate.js";
import {
  type HeldOut,
  type HeldOutEvidence,
  heldOutBinomial,
  heldOutHoeffding,
  riskOfFailure,
} from "../theory/held-out/held-out.js";

/** How to certify: with which confidence, and by which test. */
export interface CertifyOptions {
  /** The probability with which each bound is to hold, in (0, 1); 0.95 if not given. */
  readonly confidence?: number;
  /** The result on other rows; without it the one that the training run itself kept is used, if there is one. */
  readonly heldOut?: HeldOut;
}

/** The parts of a classifier that certificates come from. */
export interface Certifiable {
  /** Keeps the result on the rows that the training run held out. */
  readonly card: {
    readonly heldOut?: HeldOut | undefined;
    /** Where the training rows chose its learner: among how many. */
    readonly choice?: { readonly among: number } | undefined;
  };
  /** Knows what follows from its training alone. */
  readonly model?: {
    certificates?(options: { readonly confidence: number }): readonly Certificate[];
  };
}

/**
 * Certificates that are shown for comparison with the literature. Another one of the same model is smaller, so that
 * `best-of` does not consider them and spends nothing on them.
 */
const FOR_COMPARISON = new Set([
  "held-out-hoeffding",
  "vc",
  "adaboost-vc",
  "adaboost-margin",
  "deep-cascade-theorem-1",
  "deep-cascade-equation-6",
  "deep-cascade-equation-9",
  "margin-forest-theorem-1",
]);

/**
 * All certificates that can be given for a classifier. The first is the one to quote: that from held-out rows if there is
 * one that says something, as it was settled before any value was seen; otherwise `best-of`, if there are several to choose
 * from. The others follow, those whose premises hold first, the smallest first.
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

/** What certificates come from: a classifier, and the result on the rows that the caller chose, if any. */
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

/** What the training proves; where its rows chose the learner among k, each bound at δ/k. */
function trainingCertificates(confidence: number, { card, model }: Certifiable): readonly Certificate[] {
  const among = card.choice?.among ?? 1;
  if (among === 1) return model?.certificates?.({ confidence }) ?? [];
  const certificates = model?.certificates?.({ confidence: confidenceOfEach(confidence, among) }) ?? [];
  return certificates.map((certificate) => chosenAmong(certificate, among, confidence));
}

/** The best of the candidates, each with an equal share of δ; nothing where there is only one. */
function combined(
  certificates: readonly Certificate[],
  confidence: number,
  evidence: Evidence,
): Certificate | undefined {
  const count = certificates.filter(isCandidate).length;
  if (count < 2) return undefined;
  const share = 1 - riskOfFailure(confidence) / count;
  return bestOf(certificatesAt(share, evidence).filter(isCandidate), confidence);
}

function isCandidate({ name }: Certificate): boolean {
  return !FOR_COMPARISON.has(name);
}

function heldOutCertificates(evidence: HeldOutEvidence): Certificate[] {
  return [heldOutBinomial(evidence), heldOutHoeffding(evidence)];
}

/** Ascending; unlike a − b also for two infinities. */
function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
