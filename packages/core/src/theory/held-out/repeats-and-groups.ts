import { type Certificate, partsAbove, riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { CountedDraws } from "./counted-draws.js";
import { fisherGreater } from "./exact-tests.js";
import {
  countsNewRows,
  type GroupCount,
  type HeldOut,
  type HeldOutEvidence,
  heldOutBinomial,
  heldOutCertificate,
  heldOutHoeffding,
  type Repeats,
  selectNewRows,
} from "./held-out.js";

/**
 * Bounds the error on cases that equal no training row, by the binomial tail of the held-out rows that equal none. Given the
 * training rows, these are independent draws from the cases that equal none of them.
 *
 * If rows repeat more than independent rows without atoms would, there are two explanations, which no test can tell apart: rows
 * were copied, or a few rows (templates, retries, default forms) have a probability of their own. In the first case each
 * different row is a draw, in the second each row is. The bound takes the larger error of the two counts, as if it had been
 * measured on as many rows as are different, and is never below the bound of all rows. So it holds in both cases.
 */
function heldOutNewRows(evidence: HeldOutEvidence, repeats: Repeats): Certificate {
  const { newRows, newErrors, different } = repeats;
  const delta = riskOfFailure(evidence.confidence);
  const bound = (errors: number, rows: number) =>
    rows === 0 ? Number.POSITIVE_INFINITY : largestProbability(errors, rows, delta);
  const error = newRows === 0 ? 0 : cautiousError(repeats);
  const value = different
    ? Math.max(bound(newErrors, newRows), bound(Math.ceil(error * different.rows - ROUNDING), different.rows))
    : bound(newErrors, newRows);
  return heldOutCertificate(
    {
      name: "held-out-new-rows",
      measure: "error",
      reference: "Clopper and Pearson (1934); Langford (2005), test set bound",
      value,
      terms: {
        errors: newErrors,
        rows: newRows,
        ...(different && {
          "errors on different rows": different.errors,
          "different rows": different.rows,
        }),
        delta,
      },
      parts: partsAbove("error on new rows", error, value),
    },
    evidence,
    selectNewRows(evidence, repeats),
  );
}

/** Keeps a whole number of errors from being rounded up. */
const ROUNDING = 1e-9;

/** Returns the error on new rows: of all, or of the different ones if that is larger. */
function cautiousError({ newRows, newErrors, different }: Repeats): number {
  const all = newErrors / newRows;
  return different ? Math.max(all, different.errors / different.rows) : all;
}

/**
 * Bounds the error in a new group: the mean over groups of the share of a group's rows that are misclassified. Groups are
 * independent draws, rows within a group are not, so the evidence is one number in [0, 1] per group, and the bound on its mean is
 * the betting bound.
 */
function heldOutGroups(evidence: HeldOutEvidence, groups: readonly GroupCount[]): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const shares = new CountedDraws(
    groups.map(({ rows, errors, groups: times }) => ({ value: errors / rows, times })),
  );
  const error = shares.length === 0 ? 0 : shares.mean;
  const value = shares.length === 0 ? Number.POSITIVE_INFINITY : shares.upperBound(delta);
  const bound = {
    name: "held-out-groups",
    measure: "group-error",
    reference: shares.reference,
    value,
    terms: { "mean error of a group": error, groups: shares.length, rows: evidence.rows, delta },
    parts: partsAbove("mean error of the held-out groups", error, value),
  } as const;
  return heldOutCertificate(bound, evidence, {
    rows: shares.length,
    errors: shares.sum,
    unit: ["held-out group", "held-out groups"],
    cases: "the cases of a new group, on average over groups,",
    draws: "The held-out groups are independent draws from the groups of the future.",
    fault: evidence.change,
  });
}

const SIGNIFICANTLY_WORSE = 0.05;

/** Returns whether the certificate to quote is the one about new rows. */
export function quotesNewRows(heldOut: Pick<HeldOut, "repeats" | "drawn">): boolean {
  const { repeats } = heldOut;
  return repeats !== undefined && (countsNewRows(heldOut) || isWorseOnNewRows(repeats));
}

/** Returns whether the error is significantly larger on rows that equal no training row than on rows that equal one. */
export function isWorseOnNewRows({ rows, errors, newRows, newErrors }: Repeats): boolean {
  if (rows === 0 || newRows === 0) return false;
  return fisherGreater({ count: newErrors, rows: newRows }, { count: errors, rows }) < SIGNIFICANTLY_WORSE;
}

/**
 * Lists the certificates of the error, the one to quote first: by groups if the rows were drawn by groups; about new rows if held-out
 * rows repeat training rows although independent rows would not, or if the error on new rows is significantly larger; otherwise
 * about all rows.
 */
export function heldOutErrorCertificates(evidence: HeldOutEvidence): Certificate[] {
  const { groups, repeats } = evidence;
  const all = [heldOutBinomial(evidence), heldOutHoeffding(evidence)];
  if (groups) return [heldOutGroups(evidence, groups), ...all];
  if (!repeats) return all;
  const fresh = heldOutNewRows(evidence, repeats);
  return quotesNewRows(evidence) ? [fresh, ...all] : [all[0], fresh, ...all.slice(1)];
}
