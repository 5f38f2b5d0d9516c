/** A name or value of an ARFF file; "?" in quotes is text, "?" without is a missing cell. */
export interface ArffToken {
  readonly text: string;
  readonly quoted: boolean;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/**
 * Reads the tokens of one ARFF line from left to right. A token in single or double quotes may hold anything,
 * with backslash escapes; any other token ends at one of the `stops`.
 */
export class ArffTokens {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
    this.#skipSpace();
  }

  /** The next character that is not white space; empty at the end of the line. */
  get next(): string {
    return this.#line.charAt(this.#at);
  }

  get rest(): string {
    return this.#line.slice(this.#at);
  }

  /** Takes the character if it is next. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.#at++;
    this.#skipSpace();
    return true;
  }

  /** The next token, or undefined if a quote is not closed. */
  token(stops: string): ArffToken | undefined {
    const quote = this.next;
    if (quote === "'" || quote === '"') return this.#quotedToken(quote);
    const from = this.#at;
    while (this.#at < this.#line.length && !stops.includes(this.next)) this.#at++;
    return { text: this.#line.slice(from, this.#at).trim(), quoted: false };
  }

  #quotedToken(quote: string): ArffToken | undefined {
    let text = "";
    for (this.#at++; this.#at < this.#line.length; this.#at++) {
      const c = this.next;
      if (c === quote) {
        this.#at++;
        this.#skipSpace();
        return { text, quoted: true };
      }
      if (c === "\\") {
        this.#at++;
        text += ESCAPES[this.next] ?? this.next;
      } else text += c;
    }
    return undefined;
  }

  #skipSpace(): void {
    while (this.next === " " || this.next === "\t") this.#at++;
  }
}
