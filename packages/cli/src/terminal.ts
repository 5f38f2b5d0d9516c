import { styleText } from "node:util";

/** Where a command writes: results on `out`, everything said along the way on `err`. */
export interface Terminal {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** A style of text, as `util.styleText` names them. */
type Style = Parameters<typeof styleText>[0];

/** Colours only on a terminal, and never where the user has said `NO_COLOR` (see no-color.org). */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR && process.env.FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

/** Text in a style, where the stream shows colours. */
export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  // Left to itself, `styleText` asks whether standard output shows colours, wherever the text goes.
  return hasColour(stream) ? styleText(style, text, { validateStream: false }) : text;
}

/** Text from a file as it can be shown on one line: no line ends, no escape sequences. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** How many characters fit on a line; 80 when the stream is not a terminal. */
export function width(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
}

/** How wide a table may be: nothing is cut off where the stream is not a terminal. */
export function tableWidth(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY;
}

/**
 * Breaks text into lines of at most `columns` characters, at spaces; longer words stay whole. The first line
 * starts with `indent`, the others with `hanging`.
 */
export function wrap(text: string, columns: number, indent = "", hanging = indent): string {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = indent;
    let empty = true;
    for (const word of paragraph.split(" ")) {
      if (!empty && line.length + 1 + word.length > columns) {
        lines.push(line);
        line = hanging;
        empty = true;
      }
      line += empty ? word : ` ${word}`;
      empty = false;
    }
    lines.push(line.trimEnd());
  }
  return lines.join("\n");
}
