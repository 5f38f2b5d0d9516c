import { formatCount, formatRoundPercent, formatUpperBound } from "../runtime/text/number-format.js";
import { VouchError } from "../runtime/vouch-error.js";
import { allHold, type Certificate, type Premise, riskOfFailure } from "./certificate.js";

/** The size of a training set, and the confidence that a bound from it must have. */
export interface SampleEvidence {
  /** m: number of training rows. */
  readonly rows: number;
  /** 1 − δ: the probability with which the bound must hold, in (0, 1). */
  readonly confidence: number;
}

/** The errors of a classifier on its training rows, and the confidence that a bound from them must have. */
export interface TrainingEvidence extends SampleEvidence {
  /** Number of training rows that it misclassifies. */
  readonly errors: number;
}

/** Assumed by every bound from training rows. */
export const INDEPENDENT_ROWS: Premise = {
  text: "The training rows are independent draws from the distribution of future data.",
  status: "assumed",
  about: "rows",
};

/**
 * Assumed because otherwise δ must be divided: by k for a learner that the same rows chose among k, and in the same way for
 * tuned options.
 */
export const FIXED_LEARNER: Premise = {
  text: "The learner and its options were fixed before the training rows were seen.",
  status: "assumed",
  about: "learner",
};

/** Assumed by bounds for families that do not change when features are scaled, shifted or binned differently. */
const INVARIANT_ENCODING: Premise = {
  text: "The encoding took only scales, offsets and bin boundaries from the training rows, which do not change the families.",
  status: "assumed",
  about: "encoding",
};

/** Assumed by bounds that count the family of the classifier. */
export const FAMILY_PREMISES: readonly Premise[] = [INDEPENDENT_ROWS, FIXED_LEARNER, INVARIANT_ENCODING];

/**
 * Assumed by bounds that depend on norms: scales and offsets reveal something about the rows. That cannot be counted, but it
 * is little, because they are means over all rows.
 */
export const KNOWN_SCALES: Premise = {
  text: "The encoding of the columns (scales, offsets, categories, values for missing cells) is as good as known in advance, although it comes from all training rows.",
  status: "assumed",
};

/** Assumed by bounds for kernel machines, whose kernel parameters may come from the rows as well. */
export const KNOWN_KERNEL: Premise = {
  text: "The encoding of the columns (scales, offsets, categories, values for missing cells) and the kernel parameters are as good as known in advance, although they come from all training rows.",
  status: "assumed",
};

/** Returns δ. Throws unless rows and errors are counts, with at least one row and no more errors than rows. */
export function checkTraining({ rows, errors, confidence }: TrainingEvidence): number {
  const delta = riskOfFailure(confidence);
  if (
    Number.isSafeInteger(rows) &&
    Number.isSafeInteger(errors) &&
    errors >= 0 &&
    errors <= rows &&
    rows > 0
  ) {
    return delta;
  }
  throw new VouchError(
    "option/invalid",
    `Got ${errors} errors on ${rows} training rows: both must be counts, with at least one row and no more errors than rows.`,
  );
}

/** A bound from the training rows, before its sentence. */
interface TrainingBound
  extends Pick<Certificate, "name" | "reference" | "value" | "terms" | "parts" | "premises" | "role"> {
  /** Why a premise fails or the bound is vacuous; absent otherwise. */
  readonly fault?: string;
}

/** Completes a bound with a sentence in plain words. */
export function trainingCertificate(bound: TrainingBound, { rows, confidence }: SampleEvidence): Certificate {
  const { fault, ...rest } = bound;
  const holds = allHold(bound.premises);
  const reason = fault ?? (bound.value < 1 ? undefined : vacuity(rows));
  return {
    ...rest,
    measure: "error",
    confidence,
    holds,
    ...(reason !== undefined && { reason }),
    statement:
      reason === undefined
        ? `With ${formatRoundPercent(confidence)} confidence at most ${formatUpperBound(bound.value)} of new cases like these are misclassified, from the ${formatCount(rows, "training row")} alone.`
        : `No guarantee: ${reason}`,
  };
}

function vacuity(rows: number): string {
  return `The bound is vacuous (not below 1): ${formatCount(rows, "training row is", "training rows are")} too few for a model this complex.`;
}

/** How many learners the training rows chose from. */
export interface ChoiceCounts {
  /** Number of candidates. */
  readonly among: number;
  /** Number of those whose models may have a certificate from the training rows; all of them if absent. */
  readonly certifiable?: number | undefined;
}

/** Returns k, the number of equal shares of δ after a choice: one for each candidate that may have a certificate. */
export function sharesAmongCandidates(choice: ChoiceCounts | undefined): number {
  return choice ? Math.max(1, choice.certifiable ?? choice.among) : 1;
}

/** The circumstances of a training that decide whether the premises of its certificates hold. */
export interface TrainingCircumstances {
  /** Number of candidates with a share of δ, from which the training rows chose the learner; 1 if the caller named it. */
  readonly candidates: number;
  /** Why the training rows are not independent draws; absent if nothing is known against it. */
  readonly dependentRows?: string;
  /** How the rows that the certificates are wanted for are unlike the training rows; absent if nothing is known against it. */
  readonly unlikeRows?: string;
  /** Whether the encoding took only scales, offsets and bin boundaries from the training rows; absent if that is not known. */
  readonly encoding?: { readonly invariant: true } | { readonly invariant: false; readonly fault: string };
  /** Whether a threshold or costs change the model's own answers, which the bounds are about. */
  readonly otherAnswers?: boolean;
}

const OTHER_ANSWERS = "The bound is about the model's own answers; thresholds for the metric change them.";

/** Added if a threshold or costs change the model's answers. */
const CHANGED_ANSWERS: Premise = {
  text: "The predictions are the model's own answers.",
  status: "violated",
  about: "answers",
};

/**
 * Settles the premises about rows, learner and encoding, which a theorem can only assume, by what is known about the training.
 *
 * If the rows chose the learner among candidates, k of which may have a certificate, it must have been computed at confidence
 * 1 − δ/k: by the union bound those of all k hold together with probability ≥ 1 − δ, and so does that of the chosen one. If another
 * candidate is chosen, nothing is claimed that could be false. Neither the list of candidates nor k may depend on the labels.
 */
export function resolvePremises(
  certificate: Certificate,
  circumstances: TrainingCircumstances,
  confidence: number,
): Certificate {
  const { candidates, dependentRows, unlikeRows, encoding, otherAnswers = false } = circumstances;
  const faults = {
    answers: OTHER_ANSWERS,
    rows: dependentRows ?? unlikeRows,
    learner: undefined,
    encoding: encoding && !encoding.invariant ? encoding.fault : undefined,
  };
  const speaksOfLearner = certificate.premises.some(({ about }) => about === "learner");
  const stated = [
    ...certificate.premises,
    ...(candidates > 1 && !speaksOfLearner ? [FIXED_LEARNER] : []),
    ...(otherAnswers ? [CHANGED_ANSWERS] : []),
  ];
  const premises = stated.map((premise) => settledPremise(premise, circumstances));
  const fault = premises.map(({ about }) => about && faults[about]).find((text) => text !== undefined);
  const reason = fault ?? certificate.reason;
  return {
    ...certificate,
    confidence,
    holds: certificate.holds && allHold(premises),
    ...(reason !== undefined && { reason }),
    premises,
    terms: {
      ...certificate.terms,
      ...(candidates > 1 && { "candidates with a share of δ": candidates }),
    },
    statement:
      fault === undefined
        ? certificate.statement.replace(
            /^With \S+ % confidence/,
            `With ${formatRoundPercent(confidence)} confidence`,
          )
        : `No guarantee: ${fault}`,
  };
}

function settledPremise(
  premise: Premise,
  { candidates, dependentRows, unlikeRows, encoding }: TrainingCircumstances,
): Premise {
  const { about } = premise;
  if (about === "learner" && candidates > 1) {
    return {
      ...premise,
      text: `The learner was chosen among candidates that were fixed before the training rows were seen; each of the ${candidates} that may have such a certificate has an equal share of δ.`,
    };
  }
  if (about === "rows" && (dependentRows ?? unlikeRows) !== undefined) {
    return { ...premise, status: "violated" };
  }
  if (about === "encoding" && encoding) {
    return { ...premise, status: encoding.invariant ? "checked" : "violated" };
  }
  return premise;
}
