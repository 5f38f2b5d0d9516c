/** Training errors of a model that some of its training rows alone determine. */
export interface CompressionFacts {
  readonly rows: number;
  /** Number of misclassified training rows; an upper bound if there is a machine per pair of several classes. */
  readonly errors: number;
  /** Size of the compression set: the training rows that determine the model. */
  readonly kept: number;
  /** Number of misclassified rows outside the compression set. */
  readonly otherErrors: number;
  /** Number of models that the same rows could determine; 1 if they determine one. */
  readonly messages: number;
}

/** Describes what is wrong with facts of a model that has this many support vectors; undefined if nothing is. */
export function compressionFault(
  facts: CompressionFacts | undefined,
  supportVectors: number,
): string | undefined {
  if (!facts) return undefined;
  const { rows, kept, otherErrors } = facts;
  if (kept >= supportVectors && kept + otherErrors <= rows) return undefined;
  return `its compression set has ${kept} of ${rows} rows, with ${supportVectors} support vectors and ${otherErrors} errors on the others`;
}

/**
 * Counts the errors of a machine from its values for the training rows; f(x) = 0 is decided for the positive class. `isKept` is
 * non-zero for the rows of the compression set.
 */
export function compressionFacts(
  labels: Int8Array,
  decisionValues: Float64Array,
  isKept: ArrayLike<number>,
  messages = 1,
): CompressionFacts {
  let errors = 0;
  let kept = 0;
  let otherErrors = 0;
  for (let i = 0; i < labels.length; i++) {
    if (isKept[i] !== 0) kept++;
    if (decisionValues[i] >= 0 === labels[i] > 0) continue;
    errors++;
    if (isKept[i] === 0) otherErrors++;
  }
  return { rows: labels.length, errors, kept, otherErrors, messages };
}
