/** Events of the XML parser; names have no namespace prefix. */
export interface XmlHandler {
  /** @param attributes the text between the name and the end of the tag */
  open(name: string, attributes: string): void;
  close(name: string): void;
  text(text: string): void;
}

/** Maximum length of a tag or text; a cell has at most 32,767 characters. */
const LONGEST_TOKEN = 1 << 20;

/**
 * A push parser for the XML of workbooks: elements, text, CDATA and the predefined entities. It skips comments and
 * instructions and refuses document types, so that no entity can be declared. It assumes well-formed input and
 * validates little else, because workbooks have checksums.
 */
export class XmlParser {
  readonly #handler: XmlHandler;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #rest = "";

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Parses the next block. */
  push(block: Uint8Array): void {
    this.#parse(this.#rest + this.#decoder.decode(block, { stream: true }));
  }

  /** Ends the document; throws if it ends inside a tag. */
  finish(): void {
    this.#parse(this.#rest + this.#decoder.decode());
    if (this.#rest.includes("<")) throw new SyntaxError("XML ends inside a tag");
  }

  #parse(text: string): void {
    let at = 0;
    for (;;) {
      const tag = text.indexOf("<", at);
      if (tag < 0) break;
      if (tag > at) this.#handler.text(unescapeXml(text.slice(at, tag)));
      const next = this.#tag(text, tag);
      if (next < 0) {
        at = tag;
        break;
      }
      at = next;
    }
    // Text may be cut inside an entity, so it stays until the next tag.
    this.#rest = text.slice(at);
    if (this.#rest.length > LONGEST_TOKEN) throw new SyntaxError("XML has a tag or text that is too long");
  }

  /** Handles the tag at `at`; returns the position after it, or −1 if it is incomplete. */
  #tag(text: string, at: number): number {
    const second = text[at + 1];
    if (second === undefined) return -1;
    if (second === "!" || second === "?") return this.#skipped(text, at);
    const end = tagEnd(text, at + 1);
    if (end < 0) return -1;
    if (second === "/") {
      this.#handler.close(localName(text.slice(at + 2, end).trim()));
      return end + 1;
    }
    const isEmpty = text[end - 1] === "/";
    const inside = text.slice(at + 1, isEmpty ? end - 1 : end);
    const space = inside.search(/\s/);
    const name = localName(space < 0 ? inside : inside.slice(0, space));
    this.#handler.open(name, space < 0 ? "" : inside.slice(space));
    if (isEmpty) this.#handler.close(name);
    return end + 1;
  }

  #skipped(text: string, at: number): number {
    const [start, close] =
      SKIPPED.find(([opening]) => opening.startsWith(text.slice(at, at + opening.length))) ?? [];
    if (start === undefined || close === undefined) throw new SyntaxError("XML has a document type");
    const end = text.indexOf(close, at + start.length);
    if (end < 0) return -1;
    if (start === CDATA) this.#handler.text(text.slice(at + start.length, end));
    return end + close.length;
  }
}

const CDATA = "<![CDATA[";
const SKIPPED = [
  ["<?", "?>"],
  ["<!--", "-->"],
  [CDATA, "]]>"],
] as const;

/** Finds the end of a tag; `>` may occur in attribute values. */
function tagEnd(text: string, from: number): number {
  let end = text.indexOf(">", from);
  while (end >= 0 && !hasEvenQuotes(text, from, end)) end = text.indexOf(">", end + 1);
  return end;
}

function hasEvenQuotes(text: string, from: number, to: number): boolean {
  let quote = "";
  for (let p = from; p < to; p++) {
    const c = text[p];
    if (quote === "" ? c === '"' || c === "'" : c === quote) quote = quote === "" ? c : "";
  }
  return quote === "";
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns the value of an attribute with any namespace prefix; undefined if it is absent. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const pattern = ATTRIBUTES.get(name) ?? new RegExp(`(?:\\s|:)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  ATTRIBUTES.set(name, pattern);
  const found = pattern.exec(attributes);
  return found ? unescapeXml(found[1] ?? found[2] ?? "") : undefined;
}

const ATTRIBUTES = new Map<string, RegExp>();
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
