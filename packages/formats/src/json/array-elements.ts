import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { decodeUtf8 } from "../bytes.js";
import type { Input } from "../input.js";
import { TextWindow } from "../text-window.js";

/** Text of a JSON value, and its first line. */
export interface ElementText {
  readonly text: string;
  readonly line: number;
}

const LINE_FEED = 10;
const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Reads the elements of a top-level JSON array one by one, without holding the whole text. */
export async function* arrayElements(input: Input): AsyncGenerator<ElementText> {
  const window = await TextWindow.open(input);
  const cutter = new ElementCutter(input.name);
  try {
    do {
      for (let element = cutter.next(window); element !== undefined; element = cutter.next(window)) {
        yield element;
      }
    } while (await window.more());
    cutter.checkFinished();
  } finally {
    await window.close();
  }
}

/** Cuts elements out of a window; only brackets and commas of the array are allowed between them. */
class ElementCutter {
  readonly #file: string;
  #line = 1;
  #state: "before" | "element or end" | "element" | "comma or end" | "after" = "before";

  constructor(file: string) {
    this.#file = file;
  }

  next(window: TextWindow): ElementText | undefined {
    for (;;) {
      this.#skipSpace(window);
      if (window.start >= window.end) return undefined;
      const c = window.bytes[window.start];
      if (this.#state === "element" || (this.#state === "element or end" && c !== CLOSE_ARRAY)) {
        return this.#element(window);
      }
      this.#punctuation(c);
      window.start++;
    }
  }

  checkFinished(): void {
    if (this.#state === "after") return;
    throw this.#malformed("the array is not closed", `${this.#file}: `);
  }

  #punctuation(c: number): void {
    if (this.#state === "before" && c === OPEN_ARRAY) this.#state = "element or end";
    else if (this.#state === "comma or end" && c === COMMA) this.#state = "element";
    else if (this.#state !== "before" && this.#state !== "after" && c === CLOSE_ARRAY) this.#state = "after";
    else {
      const found = JSON.stringify(String.fromCharCode(c));
      throw this.#malformed(
        this.#state === "after" ? `${found} after the end of the array` : `unexpected ${found}`,
      );
    }
  }

  #element(window: TextWindow): ElementText | undefined {
    const { bytes, start, end } = window;
    const stop = elementEnd(bytes, start, end);
    if (stop >= end) {
      if (window.complete) throw this.#malformed("the value that starts here does not end");
      return undefined;
    }
    const element = { text: decodeUtf8(bytes, start, stop), line: this.#line };
    for (let p = start; p < stop; p++) if (bytes[p] === LINE_FEED) this.#line++;
    window.start = stop;
    this.#state = "comma or end";
    return element;
  }

  #skipSpace(window: TextWindow): void {
    const { bytes, end } = window;
    let p = window.start;
    for (let c = bytes[p]; p < end && (c === 32 || c === 9 || c === 13 || c === LINE_FEED); c = bytes[p]) {
      if (c === LINE_FEED) this.#line++;
      p++;
    }
    window.start = p;
  }

  #malformed(problem: string, where = `${this.#file}, line ${this.#line}: `): VouchError {
    return new VouchError("data/malformed", `${where}${problem}.`, {
      hint: "Write an array of objects, one per row, or one object per line.",
    });
  }
}

/** Returns the position after the value at `at`. */
function elementEnd(bytes: Uint8Array, at: number, end: number): number {
  let depth = 0;
  for (let p = at; p < end; p++) {
    const c = bytes[p];
    if (c === QUOTE) p = stringEnd(bytes, p, end);
    else if (c === OPEN_OBJECT || c === OPEN_ARRAY) depth++;
    else if (depth === 0 && (c === COMMA || c === CLOSE_ARRAY)) return p;
    else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && --depth === 0) return p + 1;
  }
  return end;
}

function stringEnd(bytes: Uint8Array, open: number, end: number): number {
  for (let close = bytes.indexOf(QUOTE, open + 1); close >= 0 && close < end; ) {
    let backslashes = 0;
    while (bytes[close - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return close;
    close = bytes.indexOf(QUOTE, close + 1);
  }
  return end;
}
