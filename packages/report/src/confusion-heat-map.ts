import { formatCount } from "vouch";
import type { Confusion } from "./confusion-table.js";
import { html, type Markup } from "./markup.js";
import { shortened } from "./shortened.js";

/** Shades of a cell, from 1 to this. */
const SHADES = 6;

/** Pixels of the picture, of the room for names and of the room for the names of the axes. */
const layouts = {
  wide: { width: 704, names: 96, title: 22, smallest: 11 },
  narrow: { width: 340, names: 52, title: 18, smallest: 9 },
} as const;

type FigureWidth = keyof typeof layouts;

/**
 * The cells of a confusion matrix by shade, each a unit square in an SVG path: a hundred classes have ten thousand cells, and
 * one element for each would make a large file. Keys are `right1` … `right6` and `wrong1` … `wrong6`; the shade grows with
 * the square root of the share of the true class, so that rare errors are seen.
 */
export function shadedCells({ matrix }: Confusion): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  matrix.forEach((row, i) => {
    const total = Array.from(row).reduce((sum, count) => sum + count, 0);
    for (let j = 0; j < matrix.length; j++) {
      if (!(row[j] > 0)) continue;
      const shade = Math.max(1, Math.ceil(SHADES * Math.sqrt(row[j] / total)));
      const key = `${i === j ? "right" : "wrong"}${shade}`;
      paths.set(key, `${paths.get(key) ?? ""}M${j} ${i}h1v1h-1z`);
    }
  });
  return paths;
}

/** A name at each row and column, where a line of text has room. */
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

/** A confusion matrix in shades, without numbers, for a width. */
export function confusionHeatMap(confusion: Confusion, which: FigureWidth): Markup {
  const { classes, matrix } = confusion;
  const wrong = matrix.reduce(
    (sum, row, i) => sum + Array.from(row).reduce((all, count, j) => (j === i ? all : all + count), 0),
    0,
  );
  const words = `Confusion matrix of ${classes.length} classes: ${formatCount(wrong, "row")} off the diagonal.`;
  return drawn(confusion, which, words);
}
