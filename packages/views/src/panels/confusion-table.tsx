import { type Confusion, formatCount, formatNumber, formatPercent } from "vouch/train";
import type { FigureWidth } from "./figure.js";
import { html, type Markup, shortened } from "./markup.js";

/** Up to this many classes fit on a phone. */
const fewClasses = 6;
/** The numbers of a larger matrix are not readable; its shades and largest errors are. */
const mostClassesNumbered = 30;
const mostPairsShown = 10;

function total(row: readonly number[]): number {
  return row.reduce((sum, count) => sum + count, 0);
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
  // Many zeros would hide the other numbers.
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
<p class="note">Blue cells with a bold number are correct predictions, orange cells are errors. A darker shade means a larger fraction of the true class. Recall: fraction of a class that is predicted correctly.${size === "small" && " Precision: fraction of the predictions of a class that are correct."}</p>
`;
}

/** Writes the precision of each class below its column. */
function precisionRow({ classes, matrix }: Confusion): Markup {
  const cells = classes.map((_, k) => {
    const predicted = matrix.reduce((sum, row) => sum + row[k], 0);
    return html`<td class="recall">${predicted > 0 ? formatPercent(matrix[k][k] / predicted) : "–"}</td>`;
  });
  return html`<tr class="precision"><th scope="row">Precision</th>${cells}<td></td></tr>
`;
}

/** A true class, the class predicted in its place, and how often. */
interface ConfusedPair {
  readonly trueClass: string;
  readonly predicted: string;
  readonly rows: number;
  /** Fraction of the rows of the true class. */
  readonly share: number;
}

/** Lists the errors of the matrix, the most frequent first. */
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

/** Letters of a class name beside numbers; the tooltip has all. */
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
  return html`<h3>Most confused classes</h3>
<p>${which}${formatCount(pairs.length, "kind")} of confusion among ${formatNumber(confusion.classes.length)} classes.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Most confused classes">
<table class="names">
<thead><tr><th scope="col">True class</th><th scope="col">Predicted as</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Share of class</th></tr></thead>
<tbody>
${shown.map(pairRow)}</tbody>
</table>
</div>
`;
}

const heatNote =
  "Blue cells on the diagonal are right, orange cells are wrong; the stronger the shade, the larger the share of the true class.";

/** Draws a matrix in shades only. */
function heatMap(confusion: Confusion): Markup {
  return html`<figure>
<div class="wide">${confusionHeatMap(confusion, "wide")}</div>
<div class="narrow">${confusionHeatMap(confusion, "narrow")}</div>
<figcaption>${heatNote}</figcaption>
</figure>
`;
}

/** Shows numbers if there is room for them, shades on a phone. */
function matrixOrHeatMap(confusion: Confusion): Markup {
  return html`<div class="wide">${fullMatrix(confusion)}</div>
<figure class="narrow">${confusionHeatMap(confusion, "narrow")}
<figcaption>${heatNote}</figcaption>
</figure>
`;
}

/**
 * Shows the confusion matrix with its numbers if they can be read, otherwise in shades; with many classes also the pairs that are
 * confused most. Returns undefined without classes.
 */
export function confusionTable(confusion: Confusion): Markup | undefined {
  const count = confusion.classes.length;
  if (count === 0) return undefined;
  if (count <= fewClasses) return fullMatrix(confusion);
  const matrix = count <= mostClassesNumbered ? matrixOrHeatMap(confusion) : heatMap(confusion);
  return html`${matrix}${confusedPairs(confusion)}`;
}

/** Shades of a cell, from 1 to this. */
const SHADES = 6;

/** Pixels of the picture, of the room for names and of the room for the names of the axes. */
const layouts = {
  wide: { width: 704, names: 96, title: 22, smallest: 11 },
  narrow: { width: 340, names: 52, title: 18, smallest: 9 },
} as const;

/**
 * Groups the cells of a confusion matrix by shade, each a unit square in an SVG path: a hundred classes have ten thousand cells,
 * and one element for each would make a large file. Keys are `right1` … `right6` and `wrong1` … `wrong6`; the shade grows with
 * the square root of the share of the true class, so that rare errors are seen.
 */
export function shadedCells({ matrix }: Confusion): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  matrix.forEach((row, i) => {
    const all = total(row);
    for (let j = 0; j < matrix.length; j++) {
      if (!(row[j] > 0)) continue;
      const shade = Math.max(1, Math.ceil(SHADES * Math.sqrt(row[j] / all)));
      const key = `${i === j ? "right" : "wrong"}${shade}`;
      paths.set(key, `${paths.get(key) ?? ""}M${j} ${i}h1v1h-1z`);
    }
  });
  return paths;
}

/** Names rows and columns. */
function nameTexts(classes: readonly string[], size: number, names: number, title: number): Markup {
  const most = Math.max(3, Math.floor((names - 6) / 6));
  const fontSize = Math.min(12, size * 0.9);
  const texts = classes.map((name, i) => {
    const middle = (i + 0.5) * size;
    const shown = shortened(name, most);
    const x = names + title + middle;
    return html`<text x="${title + names - 5}" y="${round(title + names + middle)}" text-anchor="end" dominant-baseline="central">${shown}</text><text transform="translate(${round(x)} ${title + names - 5}) rotate(-90)" dominant-baseline="central">${shown}</text>`;
  });
  return html`<g font-size="${round(fontSize)}" fill="currentColor">${texts}</g>`;
}

function drawn(confusion: Confusion, which: FigureWidth, words: string): Markup {
  const { classes } = confusion;
  const { width, names, title, smallest } = layouts[which];
  const named = (width - names - title) / classes.length >= smallest;
  const room = named ? Math.min(names, roomFor(classes)) : 0;
  const side = width - room - title - 2;
  // Few classes do not need all the width.
  const size = Math.min(30, side / classes.length);
  const height = title + room + size * classes.length + 2;
  const cells = [...shadedCells(confusion)].map(([key, path]) => html`<path class="${key}" d="${path}"/>`);
  const span = size * classes.length;
  return html`<svg xmlns="http://www.w3.org/2000/svg" role="img" class="heat" aria-label="${words}" width="${width}" height="${round(height)}" viewBox="0 0 ${width} ${round(height)}">
<g font-size="12" class="axis"><text x="${round(title + room + span / 2)}" y="12" text-anchor="middle">Predicted class</text><text transform="translate(12 ${round(title + room + span / 2)}) rotate(-90)" text-anchor="middle">True class</text></g>
${named && nameTexts(classes, size, room, title)}
<rect x="${title + room}" y="${title + room}" width="${round(span)}" height="${round(span)}" class="ground"/>
<g transform="translate(${title + room} ${title + room}) scale(${size.toFixed(4)})">${cells}</g>
</svg>`;
}

/** Pixels for the longest name. */
function roomFor(classes: readonly string[]): number {
  return 12 + 7 * Math.max(...classes.map((name) => Math.min(99, name.length)));
}

function round(pixels: number): number {
  return Number(pixels.toFixed(1));
}

/** Draws a confusion matrix in shades, without numbers. */
export function confusionHeatMap(confusion: Confusion, which: FigureWidth): Markup {
  const { classes, matrix } = confusion;
  const wrong = matrix.reduce(
    (sum, row, i) => sum + row.reduce((all, count, j) => (j === i ? all : all + count), 0),
    0,
  );
  const words = `Confusion matrix of ${classes.length} classes: ${formatCount(wrong, "row")} off the diagonal.`;
  return drawn(confusion, which, words);
}
