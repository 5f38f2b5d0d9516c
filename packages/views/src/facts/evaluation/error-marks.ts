import { mean } from "@vouch/core/internal/runtime/maths/statistics";
import {
  formatCount,
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "@vouch/core/internal/runtime/text/number-format";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { boundText } from "@vouch/core/internal/theory/certificate-words";
import type { HeldOut } from "@vouch/core/internal/theory/held-out/held-out";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import { certify } from "@vouch/core/internal/train/certify";
import type { Verdict } from "@vouch/core/internal/train/verdict";
import { boundsError, givesGuarantee } from "./guarantee.js";

/** One line of the error figure: a measured error, the baseline, or a certified bound. */
export interface ErrorMark {
  readonly kind: "measured" | "baseline" | "certified";
  readonly label: string;
  readonly value: number;
  readonly shown: string;
  /** Individual measurements behind a mean. */
  readonly parts: readonly number[];
  /** One-sided bounds on the error of future cases; the upper one is the certificate for these rows. */
  readonly interval?: readonly [lower: number, upper: number];
}

/** The parts of a model card that the figure shows. */
export interface MeasuredErrors extends Pick<TrainedCard, "error"> {
  readonly heldOut?: HeldOut | undefined;
  readonly verdict?: Verdict | undefined;
}

/**
 * Lists the lines of the figure: measured errors, then the baseline, then the bounds on the error that give a
 * guarantee.
 */
export function errorMarks(
  { error, heldOut, verdict }: MeasuredErrors,
  certificates: readonly Certificate[],
): ErrorMark[] {
  const folds = (error.folds ?? []).filter(Number.isFinite);
  const marks = [
    measured("Training rows", error.train),
    ...(folds.length > 0
      ? [measured(`Mean of ${formatCount(folds.length, "fold")}`, mean(folds), folds)]
      : []),
    ...(error.test === undefined ? [] : testMarks(error.test, heldOut, certificates)),
    ...(verdict ? [baselineMark(verdict)] : []),
    ...certificates.filter((one) => boundsError(one) && givesGuarantee(one)).map(certified),
  ];
  return marks.filter((mark) => Number.isFinite(mark.value));
}

function measured(label: string, value: number, parts: readonly number[] = []): ErrorMark {
  return { kind: "measured", label, value, shown: formatPercent(value), parts };
}

function baselineMark({ baseline }: Verdict): ErrorMark {
  return { ...measured(`Always answering “${baseline.class}”`, baseline.error), kind: "baseline" };
}

function certified(certificate: Certificate): ErrorMark {
  const { name, confidence, value } = certificate;
  return {
    kind: "certified",
    label: `${name}, ${formatRoundPercent(confidence)} confidence`,
    value,
    shown: boundText(certificate, value),
    parts: [],
  };
}

/** Lists the errors on held-out rows: all rows, repeats of training rows, other rows, and the mean of groups. */
function testMarks(
  test: number,
  heldOut: HeldOut | undefined,
  certificates: readonly Certificate[],
): ErrorMark[] {
  if (!heldOut) return [measured("Held-out rows", test)];
  const around = (name: string) => errorInterval(name, heldOut, certificates);
  const { rows, errors, repeats, groups } = heldOut;
  const all = { ...measured(counted("Held-out rows", errors, rows), test), ...around("held-out-binomial") };
  if (groups) return [all, { ...groupMark(groups), ...around("held-out-groups") }];
  if (!repeats) return [all];
  const { newRows, newErrors } = repeats;
  const repeated = counted("Repeats of training rows", repeats.errors, repeats.rows);
  const fresh = counted("New rows", newErrors, newRows);
  return [
    ...(repeats.natural ? [all] : []),
    ...(repeats.rows > 0 ? [measured(repeated, repeats.errors / repeats.rows)] : []),
    { ...measured(fresh, newErrors / newRows), ...around("held-out-new-rows") },
  ];
}

function counted(rows: string, errors: number, count: number): string {
  return `${rows}: ${formatCount(errors, "error")} in ${formatNumber(count)}`;
}

function groupMark(groups: NonNullable<HeldOut["groups"]>): ErrorMark {
  const count = groups.reduce((sum, one) => sum + one.groups, 0);
  const shares = groups.reduce((sum, one) => sum + (one.groups * one.errors) / one.rows, 0);
  return measured(`Mean of ${formatCount(count, "held-out group")}`, shares / count);
}

/**
 * Returns one-sided bounds at the confidence 1 − δ of a certificate; together they form a 1 − 2δ interval. The upper
 * end is the certificate itself. The lower end is 1 − the same bound on the fraction of rows that are right. Undefined
 * if the certificate does not hold, because the rows are then not independent.
 */
function errorInterval(
  name: string,
  heldOut: HeldOut,
  certificates: readonly Certificate[],
): Pick<ErrorMark, "interval"> {
  const same = (certificate: Certificate) => certificate.name === name && certificate.holds;
  const upper = certificates.find(same);
  if (!upper || !Number.isFinite(upper.value)) return {};
  const mirrored = certify({ card: {} }, { heldOut: mirror(heldOut), confidence: upper.confidence }).find(
    same,
  );
  return mirrored ? { interval: [Math.max(0, 1 - mirrored.value), Math.min(1, upper.value)] } : {};
}

/** Swaps errors and correct rows. */
function mirror({ rows, errors, repeats, groups }: HeldOut): HeldOut {
  const right = <T extends { readonly rows: number; readonly errors: number }>(counts: T): T => ({
    ...counts,
    errors: counts.rows - counts.errors,
  });
  return {
    rows,
    errors: rows - errors,
    ...(groups && { groups: groups.map(right) }),
    ...(repeats && { repeats: { ...right(repeats), newErrors: repeats.newRows - repeats.newErrors } }),
  };
}
