import type { Input } from "./input.js";
import { TextWindow } from "./text-window.js";

/** Some consecutive lines of a text; the first of them is line `first` of the file. */
export interface LineBatch {
  readonly first: number;
  readonly lines: readonly string[];
}

/** The lines of a text without their line ends, LF or CRLF, in batches of about a megabyte. */
export async function* readLines(input: Input): AsyncGenerator<LineBatch> {
  const window = await TextWindow.open(input);
  let first = 1;
  try {
    do {
      const { bytes, start, end } = window;
      const upTo = end === start ? end : bytes.lastIndexOf(10, end - 1);
      if (upTo < start || end === start) continue;
      const lines = bytes.toString("utf8", start, upTo).split("\n");
      window.start = upTo + 1;
      yield { first, lines: lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) };
      first += lines.length;
    } while (await window.more());
  } finally {
    await window.close();
  }
}
