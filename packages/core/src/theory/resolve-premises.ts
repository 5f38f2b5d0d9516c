import { formatRoundPercent } from "../runtime/text/number-format.js";
import { allHold, type Certificate, type Premise } from "./certificate.js";
import { FIXED_LEARNER } from "./training-certificate.js";

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
 * 1 − δ/k: by the union bound the bounds of all k hold together with probability ≥ 1 − δ, including the bound of the chosen one. If
 * another candidate is chosen, nothing is claimed that could be false. Neither the list of candidates nor k may depend on the labels.
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
            /^With \S+% confidence/,
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
