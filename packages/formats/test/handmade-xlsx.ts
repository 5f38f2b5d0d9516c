import { crc32, deflateRawSync } from "node:zlib";

/** Writes a ZIP archive. */
export function zipped(files: Readonly<Record<string, string | Uint8Array>>, isStored = false): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    parts.push(Buffer.from("PK\x03\x04"), common, name, packed);
    directory.push(Buffer.from("PK\x01\x02\x14\0"), common, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(directory.length / 4, 8);
  end.writeUInt16LE(directory.length / 4, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** Escapes text for XML. */
function xmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "_x000D_");
}

/** The parts of a workbook with these sheets, by name: the content of `<sheetData>`, and what follows it. */
export function workbookParts(sheets: Readonly<Record<string, string>>, after = ""): Record<string, string> {
  const names = Object.keys(sheets);
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;
  return {
    "[Content_Types].xml": "<Types/>",
    "_rels/.rels": `<Relationships>${relation("r1", "officeDocument", "xl/workbook.xml")}</Relationships>`,
    "xl/workbook.xml": `<workbook><sheets>${names.map((name, i) => `<sheet name="${xmlText(name)}" sheetId="${i + 1}" r:id="s${i}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships>${names.map((_, i) => relation(`s${i}`, "worksheet", `worksheets/sheet${i}.xml`)).join("")}${relation("t", "sharedStrings", "/xl/sharedStrings.xml")}${relation("u", "styles", "styles.xml")}</Relationships>`,
    "xl/sharedStrings.xml":
      "<sst><si><t>plain</t></si><si><r><t>ri</t></r><r><t xml:space='preserve'>ch </t></r><rPh><t>no</t></rPh></si></sst>",
    "xl/styles.xml":
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy\\-mm\\-dd;@"/><numFmt numFmtId="171" formatCode="[Red]0.00&quot; days&quot;"/><numFmt numFmtId="172" formatCode="[h]:mm:ss"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/><xf numFmtId="10"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i}.xml`,
        `<?xml version="1.0" encoding="UTF-8"?><!-- <c> --><worksheet><sheetData>${sheets[name]}</sheetData>${after}</worksheet>`,
      ]),
    ),
  };
}

/** Writes a workbook. */
export function workbook(sheets: Readonly<Record<string, string>>, after = ""): Buffer {
  return zipped(workbookParts(sheets, after));
}

/** Writes rows of a sheet; undefined is a cell that is not in the file. */
export function rowsXml(rows: readonly (readonly (string | number | undefined)[])[]): string {
  const cell = (value: string | number | undefined, i: number, j: number) => {
    if (value === undefined) return "";
    const reference = `${columnName(j)}${i + 1}`;
    if (typeof value === "number") return `<c r="${reference}"><v>${value}</v></c>`;
    return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${xmlText(value)}</t></is></c>`;
  };
  return rows
    .map((row, i) => `<row r="${i + 1}">${row.map((value, j) => cell(value, i, j)).join("")}</row>`)
    .join("");
}

function columnName(j: number): string {
  return j < 26 ? String.fromCharCode(65 + j) : `${columnName(Math.floor(j / 26) - 1)}${columnName(j % 26)}`;
}
