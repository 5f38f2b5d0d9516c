import { formatUpperBound } from "../runtime/text/number-format.js";
import type { Certificate } from "../theory/certificate.js";
import { countsNewRows, type HeldOut } from "../theory/held-out/held-out.js";
import { type Certifiable, certify } from "./certify.js";

/** The certificate that labelled rows can test while a model is in use, or why there is none. */
export type MonitoredCertificate =
  | {
      readonly certificate: Certificate;
      /** The rows that it is about: all, or those that the model answers. */
      readonly rows: "all" | "answered";
    }
  | { readonly certificate: undefined; readonly reason: string };

/**
 * Chooses the certificate to watch. If the classifier abstains, that is the certificate of the error of answers.
 * Otherwise it is the certificate of the error that `certify` quotes for a model trained for the error. Certificates of
 * other measures (cost, coverage of sets, AUC) are not watched. There is none without held-out rows or an informative
 * bound from the training rows. There is none about new groups or about rows that equal no training row either, because
 * labelled rows identify neither. If such a certificate is quoted and another one is about all rows, that one is
 * watched.
 */
export function monitoredCertificate(
  { card, decision, model, encoder }: Certifiable,
  confidence = 0.95,
): MonitoredCertificate {
  if (card.heldOut?.groups) {
    return { certificate: undefined, reason: "The certificate is about new groups, not about single rows." };
  }
  const parts = { decision, ...(model && { model }), ...(encoder && { encoder }) };
  const certificates = certify({ ...parts, card: { ...card, objective: undefined } }, { confidence });
  const abstains = decision?.abstention !== undefined;
  const quoted = abstains
    ? certificates.find(({ measure }) => measure === "answered-error")
    : certificates.at(0);
  if (!quoted) return { certificate: undefined, reason: "The model has no certificate of its error." };
  const certificate = isAboutNewRows(quoted, card.heldOut)
    ? certificates.find(({ name, holds }) => name === "held-out-binomial" && holds && !abstains)
    : quoted;
  if (!certificate) {
    const reason =
      "The certificate is about rows that equal no training row; labelled rows do not say whether they do.";
    return { certificate: undefined, reason };
  }
  const { reason, holds, value } = certificate;
  if (holds && reason === undefined && value < 1) return { certificate, rows: abstains ? "answered" : "all" };
  const fallback = `The bound on the error, ${formatUpperBound(value)}, says nothing.`;
  return { certificate: undefined, reason: reason ?? fallback };
}

/** Returns whether a certificate is only about rows that equal no training row. */
function isAboutNewRows({ name }: Certificate, heldOut: HeldOut | undefined): boolean {
  const { rows = 0 } = heldOut?.repeats ?? {};
  return rows > 0 && (name === "held-out-new-rows" || (heldOut !== undefined && countsNewRows(heldOut)));
}
