import type { Premise } from "./certificate.js";
import { FIXED_LEARNER, INDEPENDENT_ROWS } from "./training-certificate.js";

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
