import { listNames } from "../../runtime/names.js";
import {
  formatCount,
  formatLowerBound,
  formatNumber,
  formatRoundPercent,
} from "../../runtime/number-format.js";
import { type Certificate, riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { meanLowerBounds } from "../held-out/bounded-mean.js";
import {
  type CountedUnits,
  eachRow,
  type HeldOutEvidence,
  heldOutCertificate,
} from "../held-out/held-out.js";
import { countedUnits } from "../held-out/measures.js";
import type { ProbableRows } from "./prediction-sets.js";
import { keepsLevel, type SetLimit, type SetRule, setsOf } from "./set-rule.js";

/** How many rows, of all classes or of one, have their class in their set. */
export interface CoverageCounts {
  /** Absent for all classes together. */
  readonly class?: number;
  readonly rows: number;
  /** Number of rows whose class is not in the set. */
  readonly misses: number;
  /** Share of rows of each group whose class is in the set; present if the rows were drawn by groups. */
  readonly groups?: Float64Array;
}

const VOVK = "Vovk (2012), training-conditional coverage of split conformal sets";

/**
 * Lists the certificates of the coverage of sets whose limits come from the held-out rows, overall or of each class. Each holds
 * with the confidence of the evidence; see `fitSets` for the proof.
 */
export function coverageCertificates(
  { limits, perClass }: Pick<SetRule, "limits" | "perClass">,
  evidence: HeldOutEvidence,
  classes: readonly string[],
): Certificate[] {
  const delta = riskOfFailure(evidence.confidence);
  const counted = countedUnits(evidence);
  return limits.map((limit, c) => {
    const { rows, misses, probability } = limit;
    const name = perClass ? classes[c] : undefined;
    const always = perClass && isAlways(limit);
    const value = always ? 1 : 1 - largestProbability(misses, rows, delta);
    const terms = { "allowed misses": misses, rows, "least probability": probability, delta };
    const bound = { ...coverageOf(name), reference: VOVK, value, terms };
    const units = always ? counted : { ...counted, rows, errors: misses, unit: unitOf(counted, name) };
    return heldOutCertificate(bound, evidence, units, (shown) =>
      always
        ? `every set has the class "${name}", whose rows allow no higher limit`
        : covers(shown, counted.cases, name),
    );
  });
}

function unitOf({ unit: [one, many] }: CountedUnits, name: string | undefined): CountedUnits["unit"] {
  return name === undefined ? [one, many] : [`${one} of the class`, `${many} of the class`];
}

/** Counts how often the sets of rows have the class of the row: overall, or in each class if the sets have limits for each. */
export function countCoverage(
  rule: Pick<SetRule, "limits" | "perClass">,
  { probabilities, labels, groups }: ProbableRows,
): CoverageCounts[] {
  const { columns } = probabilities;
  const sets = setsOf(rule, probabilities);
  const isCovered = (row: number) => labels[row] >= 0 && sets[row * columns + labels[row]] === 1;
  return Array.from({ length: rule.perClass ? columns : 1 }, (_, c) => {
    const own = Int32Array.from(labels.keys()).filter((row) => !rule.perClass || labels[row] === c);
    return {
      ...(rule.perClass && { class: c }),
      rows: own.length,
      misses: own.filter((row) => !isCovered(row)).length,
      ...(groups && { groups: coveredShares(own, groups, isCovered) }),
    };
  });
}

function coveredShares(
  rows: Int32Array,
  groups: Int32Array,
  isCovered: (row: number) => boolean,
): Float64Array {
  const byGroup = new Map<number, { rows: number; covered: number }>();
  for (const row of rows) {
    const own = byGroup.get(groups[row]) ?? { rows: 0, covered: 0 };
    byGroup.set(groups[row], own);
    own.rows++;
    if (isCovered(row)) own.covered++;
  }
  return Float64Array.from(byGroup.values(), (own) => own.covered / own.rows);
}

/** Lists the certificates of the coverage of sets whose limits were fixed before these rows: by binomial or betting bounds. */
export function testedCoverageCertificates(
  counts: readonly CoverageCounts[],
  evidence: HeldOutEvidence,
  classes: readonly string[],
): Certificate[] {
  const delta = riskOfFailure(evidence.confidence);
  return counts
    .filter(({ rows }) => rows > 0)
    .map(({ class: c, rows, misses, groups }) => {
      const name = c === undefined ? undefined : classes[c];
      const units = testedUnits(rows, misses, groups, evidence);
      const unit = unitOf(units, name);
      const value = groups
        ? meanLowerBounds(groups, { low: 0, high: 1 }, delta).betting
        : 1 - largestProbability(misses, rows, delta);
      const reference = groups
        ? "Waudby-Smith and Ramdas (2024), betting bound on a mean"
        : "Clopper and Pearson (1934)";
      const bound = { ...coverageOf(name), reference, value, terms: { misses, rows, delta } };
      return heldOutCertificate(bound, evidence, { ...units, unit }, (shown) =>
        covers(shown, units.cases, name),
      );
    });
}

function testedUnits(
  rows: number,
  misses: number,
  groups: Float64Array | undefined,
  evidence: HeldOutEvidence,
): CountedUnits {
  const units = evidence.groups && !groups ? eachRow(evidence) : countedUnits(evidence);
  return { ...units, rows: groups ? groups.length : rows, errors: misses };
}

function coverageOf(name: string | undefined) {
  return {
    name: "coverage",
    measure: "coverage",
    bound: "lower",
    ...(name !== undefined && { class: name }),
  } as const;
}

function covers(shown: string, cases: string, name: string | undefined): string {
  const which = name === undefined ? cases : `${cases} that are of class "${name}"`;
  return `the sets of at least ${shown} of ${which} have their class`;
}

/** Tells whether a class is in every set: no probability is below 0. */
function isAlways({ probability }: SetLimit): boolean {
  return probability === 0;
}

/** Says in words which coverage a rule keeps, how large its sets are, and which classes are always in them. */
export function setsInWords(rule: SetRule, classes: readonly string[]): string {
  const { asked, level, confidence, perClass, limits, meanSize } = rule;
  const sure = formatRoundPercent(confidence);
  const size = `The sets of held-out rows have ${formatNumber(Number(meanSize.toPrecision(3)))} of ${formatCount(classes.length, "class", "classes")} on average.`;
  if (perClass) {
    const always = classes.filter((_, c) => isAlways(limits[c]));
    const rare =
      always.length === 0
        ? []
        : [`Every set has ${listNames(always)}: their held-out rows allow no higher limit.`];
    const claim = `With ${sure} confidence, the sets have the class of at least ${formatRoundPercent(level)} of new cases of every class.`;
    return [claim, size, ...rare].join(" ");
  }
  const claim = `with ${sure} confidence, the sets have the class of at least ${formatLowerBound(level)} of new cases.`;
  if (keepsLevel(rule)) return `W${claim.slice(1)} ${size}`;
  return `${formatCount(limits[0].rows, "held-out row")} cannot certify ${formatRoundPercent(asked)}. The most they can: ${claim} ${size}`;
}
