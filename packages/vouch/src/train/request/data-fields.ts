import * as z from "zod";
import { requestFields } from "./field.js";

const names = () => z.array(z.string()).readonly().optional();
const word = () => z.string().optional();

const RANDOM_SAMPLE = "Held-out rows are a simple random sample.";

/** The target, and the column that groups or orders the rows. */
export const roleFields = {
  target: word().register(requestFields, {
    flags: "-t, --target <column>",
    help: "column with the class (default: guessed by its name, else the last column)",
    group: "data",
    place: 1,
    form: "text",
    inModel: true,
    shards: "same",
  }),
  group: word().register(requestFields, {
    flags: "--group <column>",
    help: "keep rows with the same value together, such as the rows of one patient",
    group: "measuring",
    form: "text",
    inModel: true,
    shards: { refused: RANDOM_SAMPLE },
  }),
  time: word().register(requestFields, {
    flags: "--time <column>",
    help: "train on the past and test on the future, by numbers or ISO dates",
    group: "measuring",
    form: "text",
    inModel: true,
    shards: { refused: RANDOM_SAMPLE },
  }),
};

/** What the user says about the columns of DATA. */
export const columnFields = {
  categorical: names().register(requestFields, {
    flags: "--categorical <columns>",
    help: "categorical columns, separated by commas",
    group: "data",
    form: "list",
    inModel: true,
    shards: "same",
  }),
  numeric: names().register(requestFields, {
    flags: "--numeric <columns>",
    help: "numeric columns, separated by commas",
    group: "data",
    form: "list",
    inModel: true,
    shards: "same",
  }),
  ignore: names().register(requestFields, {
    flags: "--ignore <columns>",
    help: "columns to ignore, separated by commas",
    group: "data",
    place: 2,
    form: "list",
    inModel: true,
    shards: "same",
  }),
};

/** What only training says about the columns of DATA: a model file remembers it. */
export const trainedColumnFields = {
  date: names().register(requestFields, {
    flags: "--date <columns>",
    help: "columns of dates, separated by commas",
    group: "data",
    form: "list",
    inModel: true,
    shards: { refused: "Dates are categories on shards." },
  }),
  text: names().register(requestFields, {
    flags: "--text <columns>",
    help: "columns of free text, separated by commas",
    group: "data",
    form: "list",
    inModel: true,
    shards: { refused: "Free text is a category on shards." },
  }),
  mergeClasses: z
    .boolean()
    .optional()
    .register(requestFields, {
      flags: "--merge-classes",
      help: "merge classes that differ only in case, spaces or a typo",
      group: "data",
      inModel: true,
      shards: { refused: "No shard sees all spellings: write classes alike in the data." },
    }),
};

/** How the file with DATA is written. */
export const fileFields = {
  format: word().register(requestFields, {
    flags: "--format <name>",
    help: "input format (default: from the file extension)",
    group: "data",
    form: "text",
    inModel: true,
    shards: "same",
  }),
  delimiter: word().register(requestFields, {
    flags: "--delimiter <character>",
    help: "delimiter of a csv file (default: detected)",
    group: "data",
    form: "delimiter",
    inModel: true,
    shards: "same",
  }),
  decimalComma: z.boolean().optional().register(requestFields, {
    flags: "--decimal-comma",
    help: "numbers have a decimal comma: 0,5 (default: decided for each column)",
    negatedHelp: "numbers have a decimal point: commas separate thousands",
    group: "data",
    inModel: true,
    shards: "same",
  }),
  missing: names().register(requestFields, {
    flags: "--missing <words>",
    help: "further words for a missing value, separated by commas",
    group: "data",
    form: "list",
    inModel: true,
    shards: "same",
  }),
  encoding: word().register(requestFields, {
    flags: "--encoding <name>",
    help: "encoding of a text file, such as windows-1252 (default: detected)",
    group: "data",
    form: "text",
    inModel: true,
    shards: "same",
  }),
  sheet: word().register(requestFields, {
    flags: "--sheet <name>",
    help: "sheet of a workbook, by name or number (default: the first with a table)",
    group: "data",
    form: "text",
    inModel: true,
    shards: "same",
  }),
  skip: z.int().min(0).optional().register(requestFields, {
    flags: "--skip <n>",
    help: "lines above the header to skip (default: detected)",
    group: "data",
    form: "whole number",
    inModel: true,
    shards: "same",
  }),
  headerRow: z.int().min(1).optional().register(requestFields, {
    flags: "--header-row <n>",
    help: "line that names the columns, from 1 (default: detected)",
    group: "data",
    form: "whole number",
    inModel: true,
    shards: "same",
  }),
  keepTotals: z.boolean().optional().register(requestFields, {
    flags: "--keep-totals",
    help: "read a last line such as Total as a row",
    group: "data",
    inModel: true,
    shards: "same",
  }),
  header: z.boolean().default(true).register(requestFields, {
    flags: "--no-header",
    help: "the file has no header line; columns are named column1, column2, …",
    group: "data",
    inModel: true,
    shards: "same",
  }),
};
