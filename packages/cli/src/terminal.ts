import { styleText } from "node:util";

/** The output of a command: results on `out`, progress and notices on `err`. */
export interface Terminal {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** A style of text, as `util.styleText` names them. */
type Style = Parameters<typeof styleText>[0];

/** Tells whether a stream shows colours: on a terminal, unless `NO_COLOR` is set (see no-color.org). */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR && process.env.FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

/** Styles text if the stream shows colours. */
export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  // By default, `styleText` checks whether standard output shows colours, for any stream.
  return hasColour(stream) ? styleText(style, text, { validateStream: false }) : text;
}

/** Makes text from a file printable on one line: no line ends, no escape sequences. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** Returns how many characters fit on a line; 80 if the stream is not a terminal. */
export function width(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
}

/** Returns how wide a prose line may be: long lines are hard to read. */
export function proseWidth(stream: NodeJS.WriteStream): number {
  return Math.min(width(stream), 110);
}

/** Returns how wide a table may be: nothing is cut off if the stream is not a terminal. */
export function tableWidth(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY;
}

/**
 * Breaks text into lines of at most `columns` characters, at spaces, but not before a percent sign; longer words stay
 * whole. The first line starts with `indent`, the others with `hanging`.
 */
export function wrap(text: string, columns: number, indent = "", hanging = indent): string {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = indent;
    let empty = true;
    for (const word of paragraph.split(/ (?!%)/)) {
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

/** Returns a function that prints notices on the error stream, each once. */
export function noticePrinter(
  { quiet }: { readonly quiet?: boolean },
  { err }: Terminal,
): (notice: string) => void {
  const printed = new Set<string>();
  return (notice) => {
    if (quiet || printed.has(notice)) return;
    printed.add(notice);
    err.write(`${styled(err, "dim", wrap(`note: ${printable(notice)}`, proseWidth(err)))}\n`);
  };
}

/** Prints the one document of `--json`. */
export function printJson({ out }: Terminal, document: object): void {
  out.write(`${JSON.stringify(document, null, 2)}\n`);
}

/** Shortens text to at most `columns` characters, with an ellipsis. */
export function shorten(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
