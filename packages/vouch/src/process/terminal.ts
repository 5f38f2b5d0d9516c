import { styleText } from "node:util";
import { UNPRINTABLE } from "@vouch/core/internal/runtime/text/shell";
import { conciseText } from "@vouch/core/internal/runtime/text/shorten";

/** Output of a command: results on `out`, progress and notes on `err`. */
export interface Terminal {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** A text style, as named by `util.styleText`. */
type Style = Parameters<typeof styleText>[0];

/** Returns whether a stream shows colours: on a terminal, unless `NO_COLOR` is set (see no-color.org). */
export function hasColour(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR && process.env.FORCE_COLOR !== "0") return true;
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

/** Start of a style mark. It is random, so that text from a file cannot forge one. */
const MARK = String.fromCodePoint(0xf0000 + Math.floor(Math.random() * 0xfffe));

/** Escape sequences of the styles in use, indexed by the marks. */
const sequences: string[] = [];

function marked(sequence: string): string {
  if (!sequences.includes(sequence)) sequences.push(sequence);
  return `${MARK}${String.fromCharCode(0x30 + sequences.indexOf(sequence))}`;
}

/** Styles text if the stream shows colours. The style is a mark, which `writeText` replaces by an escape sequence. */
export function styled(stream: NodeJS.WriteStream, style: Style, text: string): string {
  if (!hasColour(stream)) return text;
  // By default, `styleText` checks whether standard output shows colours, for any stream.
  const [open, close] = styleText(style, "\0", { validateStream: false }).split("\0");
  return `${marked(open)}${text}${marked(close)}`;
}

/**
 * Writes text for people. All text of a command passes through here. Text from files, names or arguments can therefore
 * not move the cursor, add colours, or reverse the order of letters.
 */
export function writeText(stream: NodeJS.WriteStream, text: string): void {
  const visible = text.replace(UNPRINTABLE, (character) =>
    character === "\n" ? character : shown(character),
  );
  stream.write(visible.replace(MARKS, (_, index: string) => sequences[index.charCodeAt(0) - 0x30] ?? ""));
}

const MARKS = new RegExp(`${MARK}(.)`, "gu");

/** Shows an unprintable character as a control picture such as ␛, or as its number, such as \u{202e}. */
function shown(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : `\\u{${code.toString(16)}}`;
}

/** Makes text from a file printable on one line: line ends become spaces, other unprintable characters are shown. */
export function printable(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ").replace(UNPRINTABLE, shown);
}

/** Returns the line width in characters; 80 if the stream is not a terminal. */
export function width(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
}

/** Returns the maximum width of free text; long lines are hard to read. */
export function proseWidth(stream: NodeJS.WriteStream): number {
  return Math.min(width(stream), 110);
}

/** Returns the maximum width of a table; unlimited if the stream is not a terminal. */
export function tableWidth(stream: NodeJS.WriteStream): number {
  return stream.isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY;
}

/**
 * Breaks text into lines of at most `columns` characters at spaces, but not before a percent sign. Longer words stay
 * whole. The first line starts with `indent`, the rest with `hanging`.
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

/** Returns a function that prints notes on the error stream, each once. */
export function noticePrinter(
  { quiet }: { readonly quiet?: boolean },
  { err }: Terminal,
): (notice: string) => void {
  const printed = new Set<string>();
  return (notice) => {
    if (quiet || printed.has(notice)) return;
    printed.add(notice);
    const text = wrap(`note: ${printable(conciseText(notice))}`, proseWidth(err));
    writeText(err, `${styled(err, "dim", text)}\n`);
  };
}

/** Prints the document of `--json`; escapes unprintable characters, as JSON does with most of them anyway. */
export function printJson({ out }: Terminal, document: object): void {
  const text = JSON.stringify(document, null, 2).replace(UNPRINTABLE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  out.write(`${text}\n`);
}

/** Truncates text to `columns` characters with an ellipsis. */
export function shorten(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
