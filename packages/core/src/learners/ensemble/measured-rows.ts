import type { Features, Sample } from "../../encode/sample.js";
import type { Model } from "../model.js";
import { ENSEMBLE } from "./ensemble-options.js";

/**
 * An ensemble is measured on this many of its training rows at most: no certificate is about them, and with kernel machines among
 * its members many rows take as long as the fit.
 */
export const MOST_MEASURED_ROWS = 20_000;

/** Returns the training rows that a model is measured on: all, or of many rows of an ensemble so many, spread evenly. */
export function measuredRows({ learner }: Model, sample: Sample<Features>): Sample<Features> {
  const { rows } = sample;
  if (learner !== ENSEMBLE || rows <= MOST_MEASURED_ROWS) return sample;
  const step = rows / MOST_MEASURED_ROWS;
  return sample.select(Int32Array.from({ length: MOST_MEASURED_ROWS }, (_, i) => Math.floor(i * step)));
}
