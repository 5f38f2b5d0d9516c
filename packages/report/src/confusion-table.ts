import { formatCount, formatNumber, formatPercent } from "vouch";
import { confusionHeatMap } from "./confusion-heat-map.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** How often each class was taken for each. */
export interface Confusion {
  readonly classes: readonly string[];
  /** `matrix[i][j]`: how many rows of class i were predicted to be of class j. */
  readonly matrix: readonly ArrayLike<number>[];
}

/** So many classes have room on a phone, too. */
const fewClasses = 6;
/** The numbers of a larger matrix are no longer readable; its shades and largest errors are. */
const mostClassesNumbered = 30;
const mostPairsShown = 10;

function total(row: ArrayLike<number>): number {
  return Array.from(row).reduce((sum, count) => sum + count, 0);
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function cell(count: number, rowTotal: number, right: boolean, zero: string): Markup {
  if (count === 0) return html`<td class="none">${zero}</td>`;
  const kind = right ? "right" : "wrong";
  // The square root keeps rare errors visible next to the diagonal.
  const shade = Math.round(100 * Math.sqrt(share(count, rowTotal)));
  return html`<td class="${kind}" style="--shade:${shade}">${formatNumber(count)}</td>`;
}

function matrixRow({ classes, matrix }: Confusion, trueClass: number): Markup {
  const row = matrix[trueClass];
  const rowTotal = total(row);
  const name = classes[trueClass];
  // So many noughts would hide what is there.
  const zero = classes.length > fewClasses ? "·" : "0";
  const cells = classes.map((_, predicted) => cell(row[predicted], rowTotal, predicted === trueClass, zero));
  const recall = rowTotal > 0 ? formatPercent(row[trueClass] / rowTotal) : "no rows";
  return html`<tr><th scope="row" title="${name}"><span>${name}</span></th>${cells}<td class="recall">${recall}</td></tr>
`;
}

function fullMatrix(confusion: Confusion): Markup {
  const { classes } = confusion;
  const size = classes.length <= 8 ? "small" : classes.length <= 16 ? "medium" : "large";
  return html`<div class="scroll ${size === "large" && "broad"}" tabindex="0" role="region" aria-label="Confusion matrix">
<table class="confusion ${size}">
<thead>
<tr><td></td><th scope="colgroup" colspan="${classes.length}">Predicted class</th><td></td></tr>
<tr><th scope="col">True class</th>${classes.map((name) => html`<th scope="col" title="${name}"><span>${name}</span></th>`)}<th scope="col">Recall</th></tr>
</thead>
<tbody>
${classes.map((_, trueClass) => matrixRow(confusion, trueClass))}${size === "small" && precisionRow(confusion)}</tbody>
</table>
</div>
<p class="note">Blue cells with a bold number were right, orange cells were wrong; the stronger the shade, the larger the share of the true class. Recall: the share of a class that was found.${size === "small" && " Precision: the share of those predicted to be of a class that are."}</p>
`;
}

/** Below each class of a few, how many of the rows that were predicted to be of it are. */
function precisionRow({ classes, matrix }: Confusion): Markup {
  const cells = classes.map((_, k) => {
    const predicted = matrix.reduce((sum, row) => sum + row[k], 0);
    return html`<td class="recall">${predicted > 0 ? formatPercent(matrix[k][k] / predicted) : "–"}</td>`;
  });
  return html`<tr class="precision"><th scope="row">Precision</th>${cells}<td></td></tr>
`;
}

/** A true class, what it was taken for, and how often. */
export interface ConfusedPair {
  readonly trueClass: string;
  readonly predicted: string;
  readonly rows: number;
  /** Fraction of the rows of the true class. */
  readonly share: number;
}

/** The errors of the matrix, the most frequent first. */
export function mostConfused({ classes, matrix }: Confusion): ConfusedPair[] {
  const pairs = matrix.flatMap((row, i) => {
    const rowTotal = total(row);
    return Array.from(row, (rows, j) => ({ i, j, rows }))
      .filter(({ j, rows }) => j !== i && rows > 0)
      .map(({ j, rows }) => ({
        trueClass: classes[i],
        predicted: classes[j],
        rows,
        share: share(rows, rowTotal),
      }));
  });
  return pairs.sort((a, b) => b.rows - a.rows);
}

/** Letters of a class's name beside numbers; all of it is in the tooltip. */
const mostLetters = 40;

function nameCell(name: string): Markup {
  return html`<td title="${name}">${shortened(name, mostLetters)}</td>`;
}

function pairRow({ trueClass, predicted, rows, share }: ConfusedPair): Markup {
  return html`<tr>${nameCell(trueClass)}${nameCell(predicted)}<td class="number">${formatNumber(rows)}</td><td class="number">${formatPercent(share)}</td></tr>
`;
}

function confusedPairs(confusion: Confusion): Markup {
  const pairs = mostConfused(confusion);
  if (pairs.length === 0) {
    return html`<p>All rows of the ${formatCount(confusion.classes.length, "class", "classes")} were right.</p>`;
  }
  const shown = pairs.slice(0, mostPairsShown);
  const which = shown.length < pairs.length ? `The ${shown.length} most frequent of ` : "";
  return html`<h3>Most confused</h3>
<p>${which}${formatCount(pairs.length, "kind")} of confusion among ${formatNumber(confusion.classes.length)} classes.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Most confused classes">
<table class="names">
<thead><tr><th scope="col">True class</th><th scope="col">Predicted as</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Of the class</th></tr></thead>
<tbody>
${shown.map(pairRow)}</tbody>
</table>
</div>
`;
}

const heatNote =
  "Blue cells, on the diagonal, were right, orange cells were wrong; the stronger the shade, the larger the share of the true class.";

/** A matrix in shades only, where its numbers would be too small. */
function heatMap(confusion: Confusion): Markup {
  return html`<figure>
<div class="wide">${confusionHeatMap(confusion, "wide")}</div>
<div class="narrow">${confusionHeatMap(confusion, "narrow")}</div>
<figcaption>${heatNote}</figcaption>
</figure>
`;
}

/** Numbers where there is room for them, shades on a phone. */
function matrixOrHeatMap(confusion: Confusion): Markup {
  return html`<div class="wide">${fullMatrix(confusion)}</div>
<figure class="narrow">${confusionHeatMap(confusion, "narrow")}
<figcaption>${heatNote}</figcaption>
</figure>
`;
}

/**
 * The confusion matrix: with its numbers where they can be read, else in shades; with many classes also the pairs that are
 * confused most. Nothing without classes.
 */
export function confusionTable(confusion: Confusion): Markup | undefined {
  const count = confusion.classes.length;
  if (count === 0) return undefined;
  if (count <= fewClasses) return fullMatrix(confusion);
  const matrix = count <= mostClassesNumbered ? matrixOrHeatMap(confusion) : heatMap(confusion);
  return html`${matrix}${confusedPairs(confusion)}`;
}
