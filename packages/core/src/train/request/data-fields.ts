import * as z from "zod";
import { DATE_ORDERS } from "../../table/date-form.js";
import { requestFields } from "./field.js";

const names = () => z.array(z.string()).readonly().optional();
const word = () => z.string().optional();
const yes = () => z.boolean().optional();
const whole = (least: number) => z.int().min(least).optional();

const RANDOM_SAMPLE = "Held-out rows are a simple random sample.";

/** Common properties of most fields about data. */
const ofData = { group: "data", inModel: true, shards: "same" } as const;

/** The target, and the column that groups or orders the rows. */
export const roleFields = {
  target: word().register(requestFields, {
    ...ofData,
    flags: "-t, --target <column>",
    help: "column with the class (default: guessed by its name, else the last column)",
    place: 1,
  }),
  group: word().register(requestFields, {
    flags: "--group <column>",
    help: "never split rows that share a value in this column, such as the visits of a patient",
    group: "measuring",
    inModel: true,
    shards: { refused: RANDOM_SAMPLE },
  }),
  time: word().register(requestFields, {
    flags: "--time <column>",
    help: "train on the past and test on the future, by this column of numbers or ISO dates",
    group: "measuring",
    inModel: true,
    shards: { refused: RANDOM_SAMPLE },
  }),
};

/** The user's choices about the columns of DATA. */
export const columnFields = {
  categorical: names().register(requestFields, {
    ...ofData,
    flags: "--categorical <columns>",
    help: "columns to read as categories, separated by commas",
    form: "list",
  }),
  numeric: names().register(requestFields, {
    ...ofData,
    flags: "--numeric <columns>",
    help: "columns to read as numbers, separated by commas",
    form: "list",
  }),
  ignore: names().register(requestFields, {
    ...ofData,
    flags: "--ignore <columns>",
    help: "columns to ignore, separated by commas",
    place: 2,
    form: "list",
  }),
};

/** Choices about the columns of DATA that only training needs, because a model file stores them. */
export const trainedColumnFields = {
  date: names().register(requestFields, {
    ...ofData,
    flags: "--date <columns>",
    help: "columns to read as dates, separated by commas",
    form: "list",
    shards: { refused: "On shards, dates are read as categories." },
  }),
  dateOrder: z
    .enum(DATE_ORDERS)
    .optional()
    .register(requestFields, {
      ...ofData,
      flags: "--date-order <order>",
      help: "order of day and month in dates that do not show it: day-first or month-first",
      form: "choice",
      shards: { refused: "On shards, dates are read as categories." },
    }),
  text: names().register(requestFields, {
    ...ofData,
    flags: "--text <columns>",
    help: "columns to read as free text, separated by commas",
    form: "list",
    shards: { refused: "On shards, free text is read as categories." },
  }),
  mergeClasses: yes().register(requestFields, {
    ...ofData,
    flags: "--merge-classes",
    help: "merge classes that differ only in case, spaces or a typo",
    shards: { refused: "No shard sees all spellings: write each class the same way in the data." },
  }),
};

/** How the file with DATA is written. */
export const fileFields = {
  format: word().register(requestFields, {
    ...ofData,
    flags: "--format <name>",
    help: "input format (default: from the file extension)",
  }),
  delimiter: word().register(requestFields, {
    ...ofData,
    flags: "--delimiter <character>",
    help: "delimiter of a csv file (default: detected)",
    form: "delimiter",
  }),
  decimalComma: yes().register(requestFields, {
    ...ofData,
    flags: "--decimal-comma",
    help: "read numbers with a decimal comma, such as 0,5 (default: detected for each column)",
    negatedHelp: "read numbers with a decimal point; commas separate thousands",
  }),
  missing: names().register(requestFields, {
    ...ofData,
    flags: "--missing <words>",
    help: "more words for a missing value, separated by commas",
    form: "list",
  }),
  encoding: word().register(requestFields, {
    ...ofData,
    flags: "--encoding <name>",
    help: "encoding of a text file, such as windows-1252 (default: detected)",
  }),
  sheet: word().register(requestFields, {
    ...ofData,
    flags: "--sheet <name>",
    help: "sheet of a workbook, by name or number (default: the first with a table)",
  }),
  skip: whole(0).register(requestFields, {
    ...ofData,
    flags: "--skip <n>",
    help: "lines above the header to skip (default: detected)",
    form: "whole number",
  }),
  headerRow: whole(1).register(requestFields, {
    ...ofData,
    flags: "--header-row <n>",
    help: "line that names the columns, from 1 (default: detected)",
    form: "whole number",
  }),
  keepTotals: yes().register(requestFields, {
    ...ofData,
    flags: "--keep-totals",
    help: "keep a last line such as Total as a row",
  }),
  header: z
    .boolean()
    .default(true)
    .register(requestFields, {
      ...ofData,
      flags: "--no-header",
      help: "the file has no header line; name its columns column1, column2, …",
    }),
};
