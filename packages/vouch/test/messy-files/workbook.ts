import { crc32 } from "node:zlib";

/** A sheet of a workbook: rows of values, of which texts that are numbers become numbers. */
export interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
  /** Column of ISO dates, which become day numbers with a date format, as Excel stores them. */
  readonly dates?: string;
}

/** Writes an Excel workbook: the smallest set of parts that Excel opens. */
export function toWorkbook(sheets: readonly Sheet[]): Uint8Array {
  const numbered = sheets.map((sheet, i) => ({ ...sheet, id: i + 1 }));
  const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packaged = "http://schemas.openxmlformats.org/package/2006";
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const part = (path: string, what: string) =>
    `<Override PartName="/xl/${path}.xml" ContentType="${type}.${what}+xml"/>`;
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part("workbook", "sheet.main")}${part("styles", "styles")}${numbered.map(({ id }) => part(`worksheets/sheet${id}`, "worksheet")).join("")}</Types>`,
    "_rels/.rels": `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${numbered.map(({ name, id }) => `<sheet name="${name}" sheetId="${id}" r:id="rId${id}"/>`).join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="${packaged}/relationships">${numbered.map(({ id }) => `<Relationship Id="rId${id}" Type="${office}/worksheet" Target="worksheets/sheet${id}.xml"/>`).join("")}<Relationship Id="rId${sheets.length + 1}" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      numbered.map((sheet) => [
        `xl/worksheets/sheet${sheet.id}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${sheetRows(sheet)}</sheetData></worksheet>`,
      ]),
    ),
  };
  return zip(Object.entries(parts).map(([path, text]) => [path, Buffer.from(xml + text)]));
}

function sheetRows({ rows, dates }: Sheet): string {
  const dateColumn = rows.find((row) => row.length > 1)?.indexOf(dates ?? "") ?? -1;
  return rows
    .map((row, i) => {
      const values = row.map((value, j) => sheetValue(value, `${letters(j)}${i + 1}`, j === dateColumn));
      return `<row r="${i + 1}">${values.join("")}</row>`;
    })
    .join("");
}

function sheetValue(value: string, place: string, isDate: boolean): string {
  if (value === "") return "";
  if (isDate && /^\d{4}-/.test(value)) {
    return `<c r="${place}" s="1"><v>${Date.parse(value) / 86_400_000 + 25_569}</v></c>`;
  }
  if (/^-?\d+(\.\d+)?$/.test(value)) return `<c r="${place}"><v>${value}</v></c>`;
  const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
}

/** Names a column: A to Z, then AA. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

/** Packs files without compression. */
function zip(files: readonly (readonly [path: string, bytes: Buffer])[]): Uint8Array {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(path);
    const sizes = Buffer.alloc(22);
    sizes.writeUInt16LE(20, 0);
    sizes.writeUInt32LE(0x00210000, 6);
    sizes.writeUInt32LE(crc32(bytes), 10);
    sizes.writeUInt32LE(bytes.length, 14);
    sizes.writeUInt32LE(bytes.length, 18);
    const lengths = Buffer.alloc(4);
    lengths.writeUInt16LE(name.length, 0);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    local.push(Buffer.from("PK\x03\x04"), sizes, lengths, name, bytes);
    central.push(Buffer.from("PK\x01\x02\x14\x00"), sizes, lengths, place, name);
    offset += 30 + name.length + bytes.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(Buffer.concat(central).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, ...central, Buffer.from("PK\x05\x06"), end]);
}
