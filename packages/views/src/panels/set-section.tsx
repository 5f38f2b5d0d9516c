import { type SetRule, setsInWords, setsOf } from "vouch/theory";
import {
  boundText,
  type Certificate,
  formatCount,
  formatNumber,
  formatPercent,
  type Predictions,
} from "vouch/train";
import { givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";
import { barList } from "./page.js";

/** The sets of rows with a known class. */
interface SetCounts {
  /** Number of rows by the size of their set, from 0 on. */
  readonly sizes: readonly number[];
  /** For each class: its rows, those whose set has it, and the classes in all these sets. */
  readonly classes: readonly ClassSets[];
}

interface ClassSets {
  readonly name: string;
  readonly rows: number;
  readonly covered: number;
  readonly members: number;
}

/** Counts sets by size and by class. */
export function countSets(
  rule: SetRule,
  { classes, labels, scores }: Pick<Predictions, "classes" | "labels" | "scores">,
): SetCounts | undefined {
  if (!scores || labels.length === 0) return undefined;
  const width = classes.length;
  const sets = setsOf(rule, scores);
  const sizes = new Array<number>(width + 1).fill(0);
  const counts = classes.map((name) => ({ name, rows: 0, covered: 0, members: 0 }));
  labels.forEach((label, row) => {
    const own = sets.subarray(row * width, (row + 1) * width);
    const size = own.reduce((sum, member) => sum + member, 0);
    sizes[size]++;
    const class_ = counts[label];
    if (!class_) return;
    class_.rows++;
    class_.covered += own[label];
    class_.members += size;
  });
  return { sizes, classes: counts };
}

/** Sizes above these share a bar: sets of 6 and of 7 classes hardly differ. */
const LARGE_SIZES = [5, 10, 20, 50, 100];
const MOST_SINGLE = 5;

/** Draws how many rows have sets of each size. */
function sizeBars(sizes: readonly number[]): Markup {
  const rows = sizes.reduce((sum, count) => sum + count, 0);
  const smallest = sizes.findIndex((count) => count > 0);
  const largest = sizes.findLastIndex((count) => count > 0);
  const bins = [
    ...Array.from({ length: MOST_SINGLE }, (_, i) => [i + 1, i + 1] as const),
    ...LARGE_SIZES.map((from, i) => [from + 1, LARGE_SIZES[i + 1] ?? sizes.length] as const),
  ].filter(([from, to]) => from <= largest && to >= smallest);
  const bars = bins.map(([from, to]) => {
    const count = sizes.slice(from, to + 1).reduce((sum, own) => sum + own, 0);
    const last = Math.min(to, sizes.length - 1);
    return {
      name: from === last ? formatCount(from, "class", "classes") : `${from}–${last} classes`,
      shown: `${formatNumber(count)} · ${formatPercent(count / rows)}`,
      value: count,
    };
  });
  return html`<h3>Sizes of the sets</h3>
${barList("Rows by the size of their set", bars)}`;
}

/** With more classes than this, those that are covered least are listed. */
const MOST_CLASSES = 12;

function coverageTable(
  { classes }: SetCounts,
  { perClass }: SetRule,
  certificates: readonly Certificate[],
): Markup {
  const known = classes.filter(({ rows }) => rows > 0);
  const listed =
    known.length <= MOST_CLASSES
      ? known
      : [...known].sort((a, b) => a.covered / a.rows - b.covered / b.rows).slice(0, MOST_CLASSES);
  const boundOf = (name: string) =>
    certificates.find((one) => one.measure === "coverage" && one.class === name && givesGuarantee(one));
  const row = ({ name, rows, covered, members }: ClassSets) => {
    const bound = boundOf(name);
    return html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(rows)}</td><td class="number">${formatPercent(covered / rows)}</td>${
      perClass && html`<td class="number">${bound ? boundText(bound, bound.value) : "–"}</td>`
    }<td class="number">${formatNumber(Number((members / rows).toPrecision(3)))}</td></tr>
`;
  };
  const hidden = known.length - listed.length;
  return html`<h3>Coverage of each class</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Coverage of each class">
<table class="names">
<thead><tr><th scope="col">True class</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Covered</th>${perClass && html`<th scope="col" class="number">Certified</th>`}<th scope="col" class="number">Mean size</th></tr></thead>
<tbody>
${listed.map(row)}</tbody>
</table>
</div>
<p class="note">${hidden > 0 && `The ${MOST_CLASSES} classes with the lowest coverage of ${formatNumber(known.length)}. `}Covered: share of the rows of a class whose set has it, an estimate from the held-out rows that set the limits.${!perClass && " The certificate is about all classes together: some are covered less. Sets by class cover each of them."}</p>
`;
}

/** Says which coverage the prediction sets have, how large they are, and how well they cover each class. */
export function setSection(
  rule: SetRule,
  predicted: Predictions,
  certificates: readonly Certificate[],
): Markup | undefined {
  const counts = countSets(rule, predicted);
  if (!counts) return undefined;
  return html`<p>${setsInWords(rule, predicted.classes)}</p>
${sizeBars(counts.sizes)}${coverageTable(counts, rule, certificates)}`;
}
