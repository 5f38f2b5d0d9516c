import { encodingPremise, type LearnedEncoding } from "../encode/learned-encoding.js";
import type { Decision } from "../metrics/decision.js";
import type { Objective } from "../metrics/objective-metric.js";
import * as real from "../runtime/maths/portable-math.js";
import { formatCount } from "../runtime/text/number-format.js";
import { joined } from "../runtime/text/suggestions.js";
import { type Certificate, chooseBest, confidenceOfEach, riskOfFailure } from "../theory/certificate.js";
import type { HeldOut } from "../theory/held-out/held-out.js";
import { type CostMatrix, measureCertificates } from "../theory/held-out/measures.js";
import { heldOutErrorCertificates } from "../theory/held-out/repeats-and-groups.js";
import { resolvePremises, type TrainingCircumstances } from "../theory/resolve-premises.js";
import { type ChoiceCounts, sharesAmongCandidates } from "../theory/training-certificate.js";
import { type HeldOutTest, selectiveCertificates } from "./selective-prediction.js";

/** Confidence and evidence of certificates. */
export interface CertifyOptions {
  /** Probability with which each bound must hold, in (0, 1); default 0.95. */
  readonly confidence?: number;
  /** Result on other held-out rows; by default the result of the training, if there is one. */
  readonly heldOut?: HeldOutTest;
  /** Costs of predictions, for a certificate of the mean cost; by default the costs used in training. */
  readonly costs?: CostMatrix;
}

/** The parts of a classifier that certificates come from. */
export interface Certifiable {
  readonly card: {
    /** The result on the rows that the training run held out. */
    readonly heldOut?: HeldOut | undefined;
    /** Present if the training rows chose the learner. */
    readonly choice?: ChoiceCounts | undefined;
    /** Why the training rows are not independent draws; absent if nothing is known against it. */
    readonly dependentRows?: string | undefined;
    /** The metric that the model was trained for. */
    readonly objective?: Objective | undefined;
    /** Number of raw columns given to the encoder. */
    readonly data?: { readonly features: number } | undefined;
  };
  /** How predictions are made; by default the model's own answers. */
  readonly decision?: Pick<Decision, "rule" | "abstention" | "sets"> | undefined;
  /** The model, with its certificates from the training rows alone. */
  readonly model?: {
    certificates?(options: { readonly confidence: number }): readonly Certificate[];
  };
  readonly encoder?: {
    readonly learned: LearnedEncoding;
    /** The raw columns that it uses. */
    readonly schema: { readonly columns: readonly unknown[] };
  };
}

/**
 * Lists all certificates of a classifier, with the one to quote first. That is the held-out certificate if it is
 * informative, because it was fixed before any value was seen. If the model was trained for another metric than the
 * error, it is that metric's certificate. Otherwise it is `best-of`, if there are several to choose from and held-out
 * rows that are all misclassified do not contradict it. Then follow the other bounds on the error, those whose premises
 * hold first and in ascending order, and then bounds of other measures.
 *
 * Each holds separately with the given confidence. `Certificate.together` is the value with which all of them hold
 * together.
 */
export function certify(certifiable: Certifiable, options: CertifyOptions = {}): Certificate[] {
  const { confidence = 0.95 } = options;
  const heldOut = options.heldOut ?? ownTest(certifiable);
  const { costs = certifiable.card.objective?.costs } = options;
  const evidence = { ...certifiable, heldOut, costs };
  const certificates = certificatesAt(confidence, evidence);
  const together = valuesTogether(certificates, confidence, evidence);
  const best = combined(certificates, confidence, evidence);
  const valued = certificates.map((certificate, i) => {
    const value = together[i];
    return value === undefined ? certificate : { ...certificate, together: value };
  });
  const errors = [...valued.filter(isOfError), ...(best ? [best] : [])].sort(
    (a, b) => Number(b.holds) - Number(a.holds) || order(a.value, b.value),
  );
  const quoted =
    certificateOfMetric(valued, certifiable) ?? certificateToQuote(valued, best, heldOut, confidence);
  const all = [...errors, ...valued.filter((certificate) => !isOfError(certificate))];
  return quoted ? [quoted, ...all.filter((certificate) => certificate !== quoted)] : all;
}

/** Returns the result of the training, with the evidence that its rules for abstention and sets keep. */
function ownTest({ card: { heldOut }, decision }: Certifiable): HeldOutTest | undefined {
  const { abstention, sets } = decision ?? {};
  return (
    heldOut && {
      ...heldOut,
      ...(abstention && { answers: { counts: abstention.counts, choice: abstention } }),
      ...(sets && { coverage: sets }),
    }
  );
}

/** Finds the informative certificate of the metric that the model was trained for, if that is not the error. */
function certificateOfMetric(
  certificates: readonly Certificate[],
  { card: { objective } }: Certifiable,
): Certificate | undefined {
  if (!objective || objective.metric === "error") return undefined;
  return certificates.find(({ measure, holds, reason }) => {
    return measure === objective.metric && holds && reason === undefined;
  });
}

function certificateToQuote(
  [first, ...others]: readonly Certificate[],
  best: Certificate | undefined,
  heldOut: HeldOut | undefined,
  confidence: number,
): Certificate | undefined {
  if (heldOut && first.reason === undefined) return first;
  const informative = best ?? others.find((one) => one.role !== "comparison" && isOfError(one));
  if (!informative) return first;
  const contradicted = heldOut && isContradicted(informative, heldOut, riskOfFailure(confidence));
  return informative.reason === undefined && !contradicted ? informative : first;
}

/** Returns whether all held-out rows are misclassified, which has a probability below δ if the bound is true. */
function isContradicted({ value }: Certificate, { rows, errors }: HeldOut, delta: number): boolean {
  return errors === rows && rows * real.log(value) < real.log(delta);
}

/** A classifier, and the result on held-out rows chosen by the caller, if any. */
interface Evidence extends Certifiable {
  readonly heldOut: HeldOutTest | undefined;
  readonly costs: CostMatrix | undefined;
}

/** Lists the certificates, the one of the held-out rows to quote first. */
function certificatesAt(confidence: number, evidence: Evidence): Certificate[] {
  const { heldOut, costs } = evidence;
  // Only the bound on the error covers both copies and rows that repeat naturally.
  const isCopied = heldOut?.repeats?.natural === false;
  return [
    ...errorCertificatesAt(confidence, evidence),
    ...(heldOut && !isCopied
      ? [
          ...selectiveCertificates(heldOut, { ...heldOut, confidence }, heldOut.confusion?.classes ?? []),
          ...measureCertificates({ ...heldOut, confidence }, costs),
        ]
      : []),
  ];
}

function errorCertificatesAt(confidence: number, evidence: Evidence): Certificate[] {
  riskOfFailure(confidence);
  const { heldOut } = evidence;
  return [
    ...(heldOut ? heldOutErrorCertificates({ ...heldOut, confidence }) : []),
    ...trainingCertificates(confidence, evidence),
  ];
}

/**
 * Lists the certificates from the training rows, each at δ/k if these rows chose among learners, k of which may have
 * some.
 */
function trainingCertificates(
  confidence: number,
  { card, model, encoder, decision, heldOut }: Evidence,
): Certificate[] {
  const candidates = sharesAmongCandidates(card.choice);
  const circumstances: TrainingCircumstances = {
    candidates,
    ...(card.dependentRows !== undefined && { dependentRows: card.dependentRows }),
    ...unlikeRows(heldOut),
    ...(encoder && { encoding: encodingOf(encoder, card.data?.features) }),
    ...(decision && decision.rule.kind !== "model" && { otherAnswers: true }),
  };
  const certificates = model?.certificates?.({ confidence: confidenceOfEach(confidence, candidates) }) ?? [];
  return certificates.map((certificate) => resolvePremises(certificate, circumstances, confidence));
}

/** Describes how the held-out rows differ from the training rows, which training certificates are about. */
function unlikeRows(heldOut: HeldOutTest | undefined): Pick<TrainingCircumstances, "unlikeRows"> {
  const [first, ...more] = heldOut?.findings ?? [];
  if (!first) return {};
  const others =
    more.length === 0
      ? ""
      : ` There ${more.length === 1 ? "is 1 more finding" : `are ${more.length} more findings`}.`;
  return { unlikeRows: `The held-out rows are unlike the training rows. ${first.text}${others}` };
}

function encodingOf(
  encoder: NonNullable<Certifiable["encoder"]>,
  columns = encoder.schema.columns.length,
): TrainingCircumstances["encoding"] {
  const { holds, categories, filled, words, dates } = encodingPremise(encoder);
  const dropped = columns - encoder.schema.columns.length;
  if (holds && dropped === 0) return { invariant: true };
  const taken = [
    ...(dropped > 0
      ? [`the choice to leave out ${formatCount(dropped, "column")} without different values`]
      : []),
    ...(categories.length > 0 ? [`the categories of ${formatCount(categories.length, "column")}`] : []),
    ...(dates.length > 0 ? [`the parts of dates of ${formatCount(dates.length, "column")}`] : []),
    ...(words.length > 0 ? [`the words of ${formatCount(words.length, "column")}`] : []),
    ...(filled.length > 0
      ? [`the means that fill missing cells of ${formatCount(filled.length, "column")}`]
      : []),
  ];
  const fault = `The encoding took ${joined(taken)} from the training rows, so the family of classifiers was not fixed before them.`;
  return { invariant: false, fault };
}

/**
 * Computes the values with which all valid certificates hold together: each has an equal share of δ. The number of
 * shares must not depend on the draw of the rows, so classes without held-out rows or predictions have shares, too.
 */
function valuesTogether(
  certificates: readonly Certificate[],
  confidence: number,
  evidence: Evidence,
): (number | undefined)[] {
  const ofClasses = certificates.filter((certificate) => certificate.class !== undefined).length;
  const { classes = [] } = evidence.heldOut?.confusion ?? {};
  const others = certificates.filter((one) => mayHold(one) && one.class === undefined).length;
  // Error and precision of each class, and its coverage if sets have limits by class.
  const kinds =
    2 + Number(certificates.some(({ name, class: one }) => name === "coverage" && one !== undefined));
  const count = others + (ofClasses > 0 ? kinds * classes.length : 0);
  if (count < 2) return [];
  const shares = certificatesAt(confidenceOfEach(confidence, count), evidence);
  return shares.map((share) => (share.holds && mayHold(share) ? share.value : undefined));
}

/** Takes the best bound on the error, each with an equal share of δ; undefined if there are fewer than two. */
function combined(
  certificates: readonly Certificate[],
  confidence: number,
  evidence: Evidence,
): Certificate | undefined {
  const count = certificates.filter(isCandidate).length;
  if (count < 2) return undefined;
  const share = confidenceOfEach(confidence, count);
  return chooseBest(errorCertificatesAt(share, evidence).filter(isCandidate), confidence);
}

/**
 * Returns whether a certificate gets a share of δ. A certificate about new rows gets none, because it is about other
 * cases than the rest. Neither does one with a violated premise about rows or encoding. Others count even if they do
 * not hold, because the number of shares must not depend on how the fit went.
 */
function isCandidate(certificate: Certificate): boolean {
  const { name, measure } = certificate;
  return name !== "held-out-new-rows" && measure === "error" && mayHold(certificate);
}

/** Returns whether a certificate is more than a comparison, and neither rows nor encoding rule it out. */
function mayHold({ role, premises }: Certificate): boolean {
  const ruledOut = premises.some(({ about, status }) => about !== undefined && status === "violated");
  return role !== "comparison" && !ruledOut;
}

function isOfError({ measure }: Certificate): boolean {
  return measure === "error" || measure === "group-error";
}

/** Compares in ascending order; unlike a − b, also works for two infinities. */
function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
