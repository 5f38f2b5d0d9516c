import {
  formatCount,
  formatLowerBound,
  formatNumber,
  formatPercent,
  formatRoundPercent,
} from "../../runtime/text/number-format.js";
import { listNames, visibleSpaces } from "../../runtime/text/suggestions.js";
import { addPremises, type Certificate, type Premise, riskOfFailure } from "../certificate.js";
import { largestProbability } from "../distributions.js";
import { meanLowerBounds } from "../held-out/bounded-mean.js";
import {
  type CountedUnits,
  eachRow,
  type HeldOutEvidence,
  heldOutCertificate,
} from "../held-out/held-out.js";
import { countedUnits } from "../held-out/measures.js";
import { boundCoverage, type ProbableRows } from "./prediction-sets.js";
import { computeSets, keepsLevel, type SetLimit, type SetRule } from "./set-rule.js";

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

const LEVEL: Premise = {
  text: "The coverage that sets must have was set before anyone looked at the held-out rows.",
  status: "assumed",
};

/**
 * Lists the certificates of the coverage of sets whose limits come from the held-out rows, overall or of each class. Each holds
 * with the confidence of the evidence; see `fitSets` and `boundCoverage` for the proofs.
 */
export function coverageCertificates(
  rule: Pick<SetRule, "limits" | "perClass" | "unknown">,
  evidence: HeldOutEvidence,
  classes: readonly string[],
): Certificate[] {
  const certificates = rule.perClass
    ? rule.limits.map((limit, c) => classCoverage(limit, evidence, classes[c]))
    : [overallCoverage(rule, evidence)];
  return certificates.map((one) => addPremises(one, LEVEL));
}

function classCoverage(limit: SetLimit, evidence: HeldOutEvidence, name: string): Certificate {
  const delta = riskOfFailure(evidence.confidence);
  const counted = countedUnits(evidence);
  const { rows, misses } = limit;
  const bound = { ...coverageOf(name), reference: VOVK, terms: termsOf(limit, delta) };
  if (isAlways(limit)) {
    const sentence = () =>
      `every set has the class "${visibleSpaces(name)}", whose rows allow no higher limit`;
    return heldOutCertificate({ ...bound, value: 1 }, evidence, counted, sentence);
  }
  const value = 1 - largestProbability(misses, rows, delta);
  const units = { ...counted, rows, errors: misses, unit: unitOf(counted, name) };
  return heldOutCertificate({ ...bound, value }, evidence, units, (shown) =>
    covers(shown, counted.cases, name),
  );
}

function overallCoverage(rule: Pick<SetRule, "limits" | "unknown">, evidence: HeldOutEvidence): Certificate {
  const { limits, unknown } = rule;
  const delta = riskOfFailure(evidence.confidence);
  const counted = countedUnits(evidence);
  const bound = {
    ...coverageOf(undefined),
    reference: VOVK,
    value: boundCoverage(rule, delta),
    terms: { ...termsOf(limits[0], delta), ...(unknown && { "rows of unknown classes": unknown.rows }) },
  };
  const units = { ...counted, rows: unknown?.of ?? limits[0].rows, errors: limits[0].misses };
  const except = unknown ? ` (${describeUnknown(unknown)})` : "";
  return heldOutCertificate(bound, evidence, units, (shown) => covers(shown, counted.cases) + except);
}

function termsOf({ misses, rows, probability }: SetLimit, delta: number) {
  return { "allowed misses": misses, rows, "least probability": probability, delta };
}

function describeUnknown({ rows, of }: NonNullable<SetRule["unknown"]>): string {
  return `${formatPercent(rows / of)} of the held-out rows are of classes without training rows, which no set contains`;
}

function unitOf({ unit: [one, many] }: CountedUnits, name: string | undefined): CountedUnits["unit"] {
  return name === undefined ? [one, many] : [`${one} of the class`, `${many} of the class`];
}

/**
 * Counts how often the sets of rows contain the class of the row: overall, or in each class if the sets have limits for
 * each.
 */
export function countCoverage(
  rule: Pick<SetRule, "limits" | "perClass">,
  { probabilities, labels, groups }: ProbableRows,
): CoverageCounts[] {
  const { columns } = probabilities;
  const sets = computeSets(rule, probabilities);
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

/**
 * Lists the certificates of the coverage of sets whose limits were fixed before these rows: by binomial or betting bounds. The limits are
 * part of the finished classifier, and the bounds do not depend on the level that they were chosen for.
 */
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

function covers(shown: string, cases: string, name?: string): string {
  const which = name === undefined ? cases : `${cases} that are of class "${visibleSpaces(name)}"`;
  return `the sets of at least ${shown} of ${which} have their class`;
}

/** Returns whether a class is in every set, because no probability is below 0. */
function isAlways({ probability }: SetLimit): boolean {
  return probability === 0;
}

/** Describes the coverage that a rule keeps, the size of its sets, and the classes that are always or never in them. */
export function describeSets(rule: SetRule, classes: readonly string[]): string {
  const { asked, level, confidence, perClass, limits, unknown, meanSize } = rule;
  const sure = formatRoundPercent(confidence);
  const size = `The sets of held-out rows have ${formatNumber(Number(meanSize.toPrecision(3)))} of ${formatCount(classes.length, "class", "classes")} on average.`;
  const missing = unknown ? [`${describeUnknown(unknown)}.`] : [];
  if (perClass) {
    const always = classes.filter((_, c) => isAlways(limits[c]));
    const rare =
      always.length === 0
        ? []
        : [`Every set has ${listNames(always)}: their held-out rows allow no higher limit.`];
    const every = unknown ? "every class with training rows" : "every class";
    const claim = `With ${sure} confidence, the sets have the class of at least ${formatRoundPercent(level)} of new cases of ${every}.`;
    return [claim, size, ...rare, ...missing].join(" ");
  }
  const claim = `with ${sure} confidence, the sets have the class of at least ${formatLowerBound(level)} of new cases.`;
  if (keepsLevel(rule)) return [`W${claim.slice(1)}`, size, ...missing].join(" ");
  const rows = formatCount(unknown?.of ?? limits[0].rows, "held-out row");
  // Larger sets would certify more, but never a class without training rows.
  const most = unknown ? "What they can" : "The most they can";
  return [...missing, `${rows} cannot certify ${formatRoundPercent(asked)}. ${most}: ${claim}`, size].join(
    " ",
  );
}
