import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import {
  binaryFormatOf,
  DETECTION_BYTES,
  formatOfName,
  isTextFormat,
  textFormatOf,
} from "./detect-format.js";
import { type DecodedInput, decodeInput, guessDecoded } from "./encoding.js";
import { firstBytes, type Input } from "./input.js";
import type { Format, ReadOptions } from "./read-options.js";
import { isWorkbook, rejectUnsupportedFile } from "./unsupported-file.js";

/** Number of first bytes that decide the encoding, if the text can be reread and if it cannot. */
const SNIFFED_BYTES = 1 << 16;
const SNIFFED_PART_BYTES = 1 << 24;

/** Data with its format; text is UTF-8. */
export interface OpenedData<I extends Input> extends DecodedInput<I> {
  readonly format: Format;
}

/** Detects the format of data and decodes text. Throws if it is not a table. */
export async function openData<I extends Input>(
  input: I,
  options: ReadOptions,
  path = input.name,
  sniffed = SNIFFED_PART_BYTES,
): Promise<OpenedData<I>> {
  const start = await firstBytes(input, DETECTION_BYTES);
  const format =
    options.format ?? (isWorkbook(start) ? "xlsx" : (formatOfName(path) ?? binaryFormatOf(start)));
  rejectUnsupportedFile(input.name, start, format);
  if (format !== undefined && !isTextFormat(format)) return { format, input, notices: [] };
  const decoded = await decodeInput(input, options, sniffed);
  return { format: format ?? (await textFormatOf(decoded.input)), ...decoded };
}

/**
 * Reads all data. If a text starts as UTF-8 but contains other bytes later, it is read again in a guessed encoding.
 *
 * @param read reads data of a format
 */
export async function readOpened<I extends Input>(
  input: I,
  options: ReadOptions,
  read: (format: Format, input: I) => Promise<Table>,
  path = input.name,
): Promise<Table> {
  const opened = await openData(input, options, path, SNIFFED_BYTES);
  try {
    return (await read(opened.format, opened.input)).withNotices(opened.notices);
  } catch (error) {
    const isDecoded = options.encoding !== undefined || opened.input !== input;
    if (isDecoded || !(error instanceof VouchError) || error.code !== "data/encoding") throw error;
    const guessed = await guessDecoded(input);
    if (guessed === undefined) throw error;
    return (await read(opened.format, guessed.input)).withNotices(guessed.notices);
  }
}
