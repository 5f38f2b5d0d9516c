import type { FieldsConversion, LibsvmConversion } from "./conversion.js";
import { UnreadableOriginal } from "./unreadable-original.js";

/** One example of an original, as it is written to CSV. */
export interface OriginalRow {
  /** One text per feature; empty when it is missing. */
  readonly values: readonly string[];
  readonly label: string;
}

/** The rows of an original, in its order; blank lines are skipped, a line that does not fit is an error. */
export async function* originalRows(
  bytes: AsyncIterable<Uint8Array>,
  conversion: LibsvmConversion | FieldsConversion,
): AsyncGenerator<OriginalRow> {
  const isLibsvm = conversion.kind === "libsvm";
  const skipped = isLibsvm ? 0 : (conversion.skipLines ?? 0);
  const [from, to] = (!isLibsvm && conversion.rows) || [0, Number.POSITIVE_INFINITY];
  let lineNumber = 0;
  let row = 0;
  for await (const raw of lines(bytes)) {
    const line = raw.trim();
    lineNumber++;
    if (lineNumber <= skipped || line === "") continue;
    if (row >= from && row < to) {
      yield isLibsvm ? libsvmRow(line, lineNumber, conversion) : fieldsRow(line, lineNumber, conversion);
    }
    row++;
  }
}

async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = pieces.pop() ?? "";
    yield* pieces;
  }
  yield rest + decoder.decode();
}

function libsvmRow(line: string, lineNumber: number, conversion: LibsvmConversion): OriginalRow {
  const [label, ...pairs] = line.split(/\s+/);
  const values: string[] = new Array(conversion.columns.length).fill("0");
  for (const pair of pairs) {
    const [, index, value] = /^(\d+):(.+)$/.exec(pair) ?? [];
    if (!(Number(index) >= 1 && Number(index) <= values.length) || !isNumber(value)) {
      throw new UnreadableOriginal(
        `line ${lineNumber} has "${shortened(pair)}" instead of an index from 1 to ${values.length} and a value`,
      );
    }
    values[Number(index) - 1] = plain(value);
  }
  return { values, label: plainLabel(label, conversion.labels) };
}

function fieldsRow(line: string, lineNumber: number, conversion: FieldsConversion): OriginalRow {
  const { separator, letters, drop = [], columns, missing } = conversion;
  const fields = line.split(separator === "comma" ? /\s*,\s*/ : /\s+/);
  const labelAt = conversion.label < 0 ? fields.length + conversion.label : conversion.label;
  const features = fields.filter((_, i) => i !== labelAt && !drop.includes(i));
  const values = letters ? [...features.join("")] : features.map((field) => plain(field));
  if (values.length !== columns.length) {
    throw new UnreadableOriginal(
      `line ${lineNumber} has ${values.length} features instead of ${columns.length}: "${shortened(line)}"`,
    );
  }
  const cells = missing === undefined ? values : values.map((value) => (value === missing ? "" : value));
  return { values: cells, label: plainLabel(fields[labelAt], conversion.labels) };
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);
}

/** A number in its shortest form (`-0.6310` is `-0.631`, `.28` is `0.28`); any other text as it is. */
function plain(text: string): string {
  return isNumber(text) ? String(Number(text)) : text;
}

/** A class that is written as a decimal is the integer it stands for; a sign is kept. */
function plainLabel(text: string, labels: Readonly<Record<string, string>> = {}): string {
  const label = text.replace(/^([-+]?\d+)\.0*$/, "$1");
  return labels[label] ?? label;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
