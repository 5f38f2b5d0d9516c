/** The five numbers of a box plot: quartiles, and the ends of the whiskers. */
interface FiveNumbers {
  readonly least: number;
  readonly lower: number;
  readonly median: number;
  readonly upper: number;
  readonly most: number;
}

/** Computes minimum, quartiles and maximum, with linear interpolation. */
export function fiveNumbers(values: readonly number[]): FiveNumbers {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  return { least: at(0), lower: at(0.25), median: at(0.5), upper: at(0.75), most: at(1) };
}

/** A named row of a figure. */
interface BoxRow {
  readonly name: string;
  readonly box: FiveNumbers;
}

/** Draws box plots on one scale from `from` to `to`, as text: whiskers to the extremes, `█` for the median. */
export function boxPlots(rows: readonly BoxRow[], from: number, to: number, width = 61): string {
  const longest = Math.max(...rows.map(({ name }) => name.length));
  const place = (value: number) => Math.round(((value - from) / (to - from)) * (width - 1));
  const lines = rows.map(({ name, box }) => `${name.padEnd(longest)}  ${boxLine(box, place, width)}`);
  const ruler = `${from}${String(to).padStart(width - String(from).length)}`;
  return [...lines, `${"".padEnd(longest)}  ${ruler}`].join("\n");
}

function boxLine(box: FiveNumbers, place: (value: number) => number, width: number): string {
  const cells = new Array<string>(width).fill(" ");
  cells.fill("─", place(box.least), place(box.most) + 1);
  cells[place(box.least)] = "├";
  cells[place(box.most)] = "┤";
  cells.fill("░", place(box.lower), place(box.upper) + 1);
  cells[place(box.median)] = "█";
  return cells.join("").trimEnd();
}

const LEVELS = " ▁▂▃▄▅▆▇█";

/** Draws counts as columns of text, one character each; `most` is the height of a full column. */
export function textColumns(counts: readonly number[], most: number): string {
  return counts.map((count) => LEVELS[Math.ceil((8 * count) / most)]).join("");
}
