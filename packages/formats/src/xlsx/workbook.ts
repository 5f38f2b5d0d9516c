import { readableBytes, reserveMemory } from "@vouch/core/internal/runtime/memory-limit";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { type ShownAs, shownAs } from "./number-format.js";
import { attributeOf, type XmlHandler, XmlParser } from "./xml-parser.js";
import { malformedWorkbook, type ZipArchive } from "./zip-archive.js";

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  /** Path in the archive. */
  readonly path: string;
  readonly isHidden: boolean;
}

/** Data that the cells of all sheets refer to. */
export interface Workbook {
  readonly name: string;
  readonly archive: ZipArchive;
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** What each cell style shows. */
  readonly styles: readonly ShownAs[];
  /** Whether days are counted from 1904, as in old versions for the Mac. */
  readonly is1904: boolean;
}

/** Reads everything of a workbook except the cells of its sheets. */
export async function readWorkbook(name: string, archive: ZipArchive): Promise<Workbook> {
  const root = (await readRelations(name, archive, "")).find(({ type }) => type.endsWith("/officeDocument"));
  const path = root?.target ?? "xl/workbook.xml";
  if (!archive.has(path)) throw notAWorkbook(name, archive);
  const relations = await readRelations(name, archive, path);
  const targets = new Map(relations.map(({ id, ...relation }) => [id, relation]));
  const sheets: Sheet[] = [];
  let is1904 = false;
  await readXml(name, archive, path, {
    ...IGNORED,
    open(tag, attributes) {
      if (tag === "workbookPr") is1904 = isTrue(attributeOf(attributes, "date1904"));
      if (tag !== "sheet") return;
      const target = targets.get(attributeOf(attributes, "id") ?? "");
      const isHidden = (attributeOf(attributes, "state") ?? "visible") !== "visible";
      const title = attributeOf(attributes, "name") ?? "";
      if (target?.type.endsWith("/worksheet")) sheets.push({ name: title, path: target.target, isHidden });
    },
  });
  const part = (type: string) => relations.find((relation) => relation.type.endsWith(type))?.target;
  return {
    ...{ name, archive, sheets, is1904 },
    strings: await readStrings(name, archive, part("/sharedStrings")),
    styles: await readStyles(name, archive, part("/styles")),
  };
}

/** Parses a part of a workbook; converts errors of the parser into errors of the file. */
async function readXml(name: string, archive: ZipArchive, path: string, handler: XmlHandler): Promise<void> {
  for await (const _ of parseXml(name, archive, path, handler));
}

/** Parses a part of a workbook block by block. */
export async function* parseXml(
  name: string,
  archive: ZipArchive,
  path: string,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const parser = new XmlParser(handler);
  try {
    for await (const block of archive.read(path)) {
      parser.push(block);
      yield;
    }
    parser.finish();
  } catch (cause) {
    if (cause instanceof VouchError || !(cause instanceof Error)) throw cause;
    throw malformedWorkbook(name, `is damaged (${path})`, cause);
  }
}

const IGNORED: XmlHandler = { open() {}, close() {}, text() {} };

interface Relation {
  readonly id: string;
  readonly type: string;
  readonly target: string;
}

/** Reads the relations of a part; `""` stands for the workbook as a whole. */
async function readRelations(name: string, archive: ZipArchive, of: string): Promise<Relation[]> {
  const [, folder = "", file = ""] = /^(.*\/)?([^/]*)$/.exec(of) ?? [];
  const path = `${folder}_rels/${file}.rels`;
  const relations: Relation[] = [];
  if (!archive.has(path)) return relations;
  await readXml(name, archive, path, {
    ...IGNORED,
    open(tag, attributes) {
      if (tag !== "Relationship") return;
      const target = attributeOf(attributes, "Target") ?? "";
      relations.push({
        id: attributeOf(attributes, "Id") ?? "",
        type: attributeOf(attributes, "Type") ?? "",
        target: resolved(target.startsWith("/") ? target.slice(1) : `${folder}${target}`),
      });
    },
  });
  return relations;
}

function resolved(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== ".") steps.push(step);
  }
  return steps.join("/");
}

/** Collects the text of an element, without pronunciation hints of East Asian versions. */
export class TextCollector {
  text = "";
  #inText = false;
  #inPhonetics = false;

  open(tag: string): void {
    if (tag === "rPh") this.#inPhonetics = true;
    this.#inText = tag === "t";
  }

  close(tag: string): void {
    if (tag === "rPh") this.#inPhonetics = false;
    if (tag === "t") this.#inText = false;
  }

  add(text: string): void {
    if (this.#inText && !this.#inPhonetics) this.text += text;
  }

  /** Returns the text and starts the next one. */
  take(): string {
    const text = unescapeText(this.text);
    this.text = "";
    return text;
  }
}

/** Decodes Excel's escapes for characters that XML cannot represent, such as `_x000D_`, and normalises line ends. */
export function unescapeText(text: string): string {
  const plain = text.includes("_x")
    ? text.replace(/_x([\dA-F]{4})_/gi, (whole, code: string) =>
        code === "0000" ? whole : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
  return plain.includes("\r") ? plain.replace(/\r\n?/g, "\n") : plain;
}

async function readStrings(name: string, archive: ZipArchive, path: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (path === undefined) return strings;
  reserveMemory(`the texts of ${name} (${readableBytes(archive.bytes(path))})`, 2 * archive.bytes(path));
  const collector = new TextCollector();
  await readXml(name, archive, path, {
    open: (tag) => collector.open(tag),
    close(tag) {
      collector.close(tag);
      if (tag === "si") strings.push(collector.take());
    },
    text: (text) => collector.add(text),
  });
  return strings;
}

async function readStyles(name: string, archive: ZipArchive, path: string | undefined): Promise<ShownAs[]> {
  const codes = new Map<number, string>();
  const styles: ShownAs[] = [];
  if (path === undefined) return styles;
  let inCellStyles = false;
  await readXml(name, archive, path, {
    ...IGNORED,
    open(tag, attributes) {
      const id = Number(attributeOf(attributes, "numFmtId") ?? 0);
      if (tag === "numFmt") codes.set(id, attributeOf(attributes, "formatCode") ?? "");
      if (tag === "cellXfs") inCellStyles = true;
      if (tag === "xf" && inCellStyles) styles.push(shownAs(id, codes.get(id)));
    },
    close(tag) {
      if (tag === "cellXfs") inCellStyles = false;
    },
  });
  return styles;
}

function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true";
}

function notAWorkbook(name: string, archive: ZipArchive): VouchError {
  const isBinary = Array.from(archive.paths()).some(
    (path) => path.endsWith(".bin") && path.startsWith("xl/workbook"),
  );
  return new VouchError(
    "file/format",
    `${name} is ${isBinary ? "a binary Excel workbook (.xlsb)" : "not an Excel workbook"}.`,
    {
      hint: isBinary
        ? "Save it as .xlsx or CSV."
        : "vouch reads .xlsx files. Save the table as one of these, or as CSV.",
    },
  );
}
