import { formatUpperBound } from "../runtime/number-format.js";
import type { Certificate } from "../theory/certificate.js";
import { type Certifiable, certify } from "./certify.js";

/** The certificate that labelled rows can test while a model is in use, or why there is none. */
export type WatchedCertificate =
  | {
      readonly certificate: Certificate;
      /** The rows that it is about: all, or those that the model answers. */
      readonly rows: "all" | "answered";
    }
  | { readonly certificate: undefined; readonly reason: string };

/**
 * Chooses the certificate to watch: that of the error of answers if the classifier abstains, otherwise the certificate of the error that
 * `certify` quotes for a model that is trained for the error. Certificates of other measures (cost, coverage of sets, AUC) are not watched. There is
 * none without held-out rows or an informative bound from the training rows, and none for rows in groups: such a bound is
 * about new groups, and labelled rows do not say which group they belong to.
 */
export function watchedCertificate(
  { card, decision, model, encoder }: Certifiable,
  confidence = 0.95,
): WatchedCertificate {
  if (card.heldOut?.groups) {
    return { certificate: undefined, reason: "The certificate is about new groups, not about single rows." };
  }
  const parts = { decision, ...(model && { model }), ...(encoder && { encoder }) };
  const certificates = certify({ ...parts, card: { ...card, objective: undefined } }, { confidence });
  const abstains = decision?.abstention !== undefined;
  const certificate = abstains
    ? certificates.find(({ measure }) => measure === "answered-error")
    : certificates.at(0);
  if (!certificate) return { certificate: undefined, reason: "The model has no certificate of its error." };
  const { reason, holds, value } = certificate;
  if (holds && reason === undefined && value < 1) return { certificate, rows: abstains ? "answered" : "all" };
  const fallback = `The bound on the error, ${formatUpperBound(value)}, says nothing.`;
  return { certificate: undefined, reason: reason ?? fallback };
}
