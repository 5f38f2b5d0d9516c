import {
  addColumn,
  mapBoth,
  mapValues,
  randomNumbers,
  readShipped,
  removeColumn,
  type SplitTable,
  type TextTable,
  toCsv,
} from "./real-table.js";
import { toWorkbook } from "./workbook.js";

/** A file as people have it, made from a real table. */
export interface MessyFile {
  /** Name of the file; its extension is the format. */
  readonly name: string;
  /** The table behind it. */
  readonly clean: SplitTable;
  readonly contents: string | Uint8Array;
  /** Flags of `vouch train` that a user adds after the first look. */
  readonly flags?: readonly string[];
  /** What the output says about the file before training; if absent, it has nothing to say. */
  readonly says?: RegExp;
  /** The file has lost what the model needs, so the error is larger; it is enough that the output says so. */
  readonly isWorse?: true;
  /** The command refuses the file, with these words. */
  readonly refuses?: RegExp;
}

const cells = readShipped("breastcancer");
const { names: cellNames } = cells.train;
const cellColumns = cellNames.slice(0, -1);
const radarInThousands = readShipped("ionosphere");
const reals = radarInThousands.train.names.filter((name) => !["a01", "a02", "label"].includes(name));
/** Ionosphere in another unit, so that its numbers have thousands and two decimals. */
const radar = mapBoth(radarInThousands, (table) =>
  mapValues(table, reals, (value) => (5000 * Number(value)).toFixed(2)),
);

/** Sets the classes of the cells. */
const withClasses = (table: TextTable, benign: string, malignant: string) =>
  mapValues(table, ["label"], (label) => (label === "benign" ? benign : malignant));

/** Writes a number with separators. */
function formatted(text: string, decimal: string, thousands: string): string {
  const [whole, fraction] = text.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, thousands);
  return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
}

const respelled = (change: (value: string, row: number) => string) =>
  mapValues(radar.train, reals, (value, row) => (value === "" ? "" : change(value, row)));

const sized = mapBoth(radar, (table) =>
  addColumn(table, "größe", (_, i) => (i % 2 === 0 ? "klein" : "groß")),
);

/** Replaces a share of the values of some columns. */
function strewn(table: TextTable, columns: readonly string[], words: readonly string[], share: number) {
  const random = randomNumbers(11);
  return mapValues(table, columns, (value) =>
    random() < share ? words[Math.floor(random() * words.length)] : value,
  );
}

/** A visit whose month comes from the size of the cells, so that the model needs it. */
const dated = mapBoth(cells, (table) =>
  removeColumn(
    addColumn(table, "visit", ({ cell_size }, i) => {
      const day = new Date(Date.UTC(2019, Number(cell_size) - 1, 1 + (i % 28)));
      return day.toISOString().slice(0, 10);
    }),
    "cell_size",
  ),
);
const datesAs = (write: (year: string, month: string, day: string) => string) =>
  mapValues(dated.train, ["visit"], (text) => {
    const [year, month, day] = text.split("-");
    return write(year, month, day);
  });
/** The visits with the day first, and days that could all be months: the model does not need the day. */
const lowDates = datesAs((y, m, d) => `${String((Number(d) % 12) + 1).padStart(2, "0")}/${m}/${y}`);
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Findings of the cells in words, as a clerk would note them, in place of the columns. */
const noted = mapBoth(cells, ({ names, rows }) => {
  const place = (name: string) => names.indexOf(name);
  const degree = (value: string) => (Number(value) > 6 ? "very" : Number(value) > 2 ? "somewhat" : "not");
  return {
    names: ["mitoses", "note", "label"],
    rows: rows.map((row) => [
      row[place("mitoses")],
      [
        `cells ${degree(row[place("cell_size")])} large`,
        `shape ${degree(row[place("cell_shape")])} irregular`,
        `clumps ${degree(row[place("clump_thickness")])} thick`,
        `nuclei ${degree(row[place("bare_nuclei")])} bare`,
        `chromatin ${degree(row[place("bland_chromatin")])} coarse`,
      ].join("; "),
      row[place("label")],
    ]),
  };
});

/** Parts of 300 kinds, told apart by four measures. */
const parts: SplitTable = (() => {
  const random = randomNumbers(23);
  const kinds = Array.from({ length: 300 }, (_, kind) => ({
    name: `Part ${String(kind + 1).padStart(3, "0")}`,
    centre: Array.from({ length: 4 }, () => 100 * random()),
  }));
  const rows = (each: number) => ({
    names: ["length", "width", "height", "weight", "label"],
    rows: kinds.flatMap(({ name, centre }) =>
      Array.from({ length: each }, () => [...centre.map((mean) => (mean + 4 * random()).toFixed(2)), name]),
    ),
  });
  return { train: rows(6), test: rows(2) };
})();

const germanCells = mapBoth(cells, (table) => withClasses(table, "gutartig", "bösartig"));
const russianCells = mapBoth(cells, (table) => withClasses(table, "да", "нет"));
const renamed = (table: TextTable, from: string, to: string): TextTable => ({
  ...table,
  names: table.names.map((name) => (name === from ? to : name)),
});
const survival = mapBoth(cells, ({ names, rows }) => ({
  names: [names[0], "Survived", ...names.slice(1, -1)],
  rows: rows.map((row) => [row[0], row.at(-1) === "benign" ? "1" : "0", ...row.slice(1, -1)]),
}));

const utf16 = (text: string, bigEndian: boolean) => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
};

const blank = (width: number) => `${",".repeat(width - 1)}\n`;
const titled = [
  `Cell report 2024${blank(cellNames.length)}`,
  `Department of Pathology${blank(cellNames.length)}`,
  blank(cellNames.length),
].join("");

const benign = cells.train.rows.filter((row) => row.at(-1) === "benign");
const malignant = cells.train.rows.filter((row) => row.at(-1) === "malignant");

export const MESSY_FILES: readonly MessyFile[] = [
  // Encodings and delimiters.
  { name: "bom-crlf.csv", clean: cells, contents: `\uFEFF${toCsv(cells.train, ",", "\r\n")}` },
  { name: "utf-16le.csv", clean: germanCells, contents: utf16(toCsv(germanCells.train), false) },
  { name: "utf-16be.csv", clean: germanCells, contents: utf16(toCsv(germanCells.train, "\t"), true) },
  {
    name: "windows-1252.csv",
    clean: germanCells,
    contents: Buffer.from(toCsv(germanCells.train, ";"), "latin1"),
    says: /Windows-1252/i,
  },
  {
    name: "windows-1251.csv",
    clean: russianCells,
    contents: Uint8Array.from(toCsv(russianCells.train), (letter) => {
      const code = letter.charCodeAt(0);
      return code < 0x80 ? code : code - 0x350;
    }),
    flags: ["--encoding", "windows-1251"],
  },
  { name: "tabs.csv", clean: cells, contents: toCsv(cells.train, "\t") },
  { name: "sep-line.csv", clean: cells, contents: `sep=|\r\n${toCsv(cells.train, "|", "\r\n")}` },
  {
    name: "trailing-delimiters.csv",
    clean: cells,
    contents: toCsv({ names: [...cellNames, ""], rows: cells.train.rows.map((row) => [...row, ""]) }),
  },

  // Excel.
  {
    name: "german-export.csv",
    clean: radar,
    contents: `\uFEFF${toCsv(
      respelled((value) => value.replace(".", ",")),
      ";",
      "\r\n",
    )}`,
    says: /decimal comma/i,
  },
  {
    name: "german-export-1252.csv",
    clean: sized,
    contents: Buffer.from(
      toCsv(
        mapValues(sized.train, reals, (value) => formatted(value, ",", ".")),
        ";",
        "\r\n",
      ),
      "latin1",
    ),
    says: /decimal comma/i,
  },
  {
    name: "workbook.xlsx",
    clean: radar,
    contents: toWorkbook([{ name: "Data", ...withHeader(radar.train) }]),
  },
  {
    name: "workbook-with-titles.xlsx",
    clean: dated,
    contents: toWorkbook([
      { name: "Read me", rows: [["Made by the laboratory"]] },
      {
        name: "Visits",
        rows: [["Cell report 2024"], [], [...dated.train.names], ...dated.train.rows, ["Total", "", "466"]],
        dates: "visit",
      },
    ]),
    says: /Visits/,
  },

  // Lines around the table.
  { name: "title-lines.csv", clean: cells, contents: `${titled}${toCsv(cells.train)}`, says: /title lines/ },
  {
    name: "total-line.csv",
    clean: cells,
    contents: `${toCsv(cells.train)}Total${blank(cellNames.length)}`,
    says: /total/i,
  },
  {
    name: "title-and-total.csv",
    clean: cells,
    contents: `${titled}${toCsv(cells.train)}${blank(cellNames.length)}Total,466${blank(cellNames.length - 1)}`,
    says: /title lines/,
  },

  // Numbers as people write them.
  {
    name: "stray-words.csv",
    clean: cells,
    contents: toCsv(
      strewn(cells.train, cellColumns, ["#N/A", "None", "-", "n/a", "na", "#DIV/0!", " ", "unknown"], 0.03),
    ),
    says: /read as missing/,
  },
  {
    name: "one-stray-word.csv",
    clean: radar,
    contents: toCsv(
      mapValues(radar.train, ["a05", "a06"], (value, row) => (row === 200 ? "see note" : value)),
    ),
    says: /see note/,
  },
  {
    name: "own-missing-word.csv",
    clean: cells,
    contents: toCsv(strewn(cells.train, cellColumns, ["-999"], 0.05)),
    flags: ["--missing", "-999"],
  },
  { name: "thousands.csv", clean: radar, contents: toCsv(respelled((value) => formatted(value, ".", ","))) },
  {
    name: "thousands-with-spaces.csv",
    clean: radar,
    contents: toCsv(
      respelled((value) => formatted(value, ",", "\u00A0")),
      ";",
    ),
  },
  {
    name: "dollars.csv",
    clean: radar,
    contents: toCsv(
      respelled((value) =>
        value.startsWith("-") ? `-$${formatted(value.slice(1), ".", ",")}` : `$${formatted(value, ".", ",")}`,
      ),
    ),
  },
  {
    name: "euros.csv",
    clean: radar,
    contents: toCsv(
      respelled((value) => `${formatted(value, ",", ".")} €`),
      ";",
    ),
  },
  {
    name: "accounting.csv",
    clean: radar,
    contents: toCsv(respelled((value) => (value.startsWith("-") ? `(${value.slice(1)})` : value))),
  },
  { name: "percent.csv", clean: radar, contents: toCsv(respelled((value) => `${value}%`)), says: /percent/i },
  {
    name: "padded.csv",
    clean: cells,
    contents: toCsv(mapValues(cells.train, cellColumns, (value) => (value === "" ? "" : ` ${value}  `))),
  },

  // Dates.
  { name: "dates-iso.csv", clean: dated, contents: toCsv(datesAs((y, m, d) => `${y}-${m}-${d}T08:30:00`)) },
  { name: "dates-german.csv", clean: dated, contents: toCsv(datesAs((y, m, d) => `${d}.${m}.${y}`)) },
  {
    name: "dates-american.csv",
    clean: dated,
    contents: toCsv(datesAs((y, m, d) => `${Number(m)}/${Number(d)}/${y}`)),
  },
  { name: "dates-british.csv", clean: dated, contents: toCsv(datesAs((y, m, d) => `${d}/${m}/${y}`)) },
  {
    name: "dates-of-unclear-order.csv",
    clean: dated,
    contents: toCsv(lowDates),
    says: /which number is the month: pass --date-order/,
    isWorse: true,
  },
  {
    name: "dates-of-settled-order.csv",
    clean: dated,
    contents: toCsv(lowDates),
    flags: ["--date-order", "day-first"],
  },
  {
    name: "dates-in-words.csv",
    clean: dated,
    contents: toCsv(datesAs((y, m, d) => `${d}-${MONTHS[Number(m) - 1]}-${y}`)),
  },

  // Classes and targets.
  {
    name: "class-spellings.csv",
    clean: cells,
    contents: toCsv(strewnClasses()),
    flags: ["--merge-classes"],
    says: /"Malignant"/,
  },
  {
    name: "class-spellings-kept.csv",
    clean: cells,
    contents: toCsv(strewnClasses()),
    isWorse: true,
    says: /--merge-classes/,
  },
  {
    name: "target-in-the-middle.csv",
    clean: survival,
    contents: toCsv(survival.train),
    says: /"Survived"/,
  },
  {
    name: "quantity.csv",
    clean: radar,
    contents: toCsv(
      addColumn(
        radar.train,
        "amount",
        ({ a03 }) => String(Math.round(Number(a03) / 20)),
        radar.train.names.length,
      ),
    ),
    flags: ["--target", "amount"],
    refuses: /quantity/,
  },
  {
    name: "half-a-percent.csv",
    clean: cells,
    contents: toCsv({ names: cellNames, rows: [...benign, ...malignant.slice(0, 3)] }),
    isWorse: true,
    says: /malignant/,
  },
  {
    name: "300-classes.csv",
    clean: parts,
    contents: toCsv(
      mapValues(parts.train, parts.train.names.slice(0, 4), (value) => value.replace(".", ",")),
      ";",
    ),
    says: /target "label" with 300 classes/,
  },

  // Columns and rows that do not help.
  {
    name: "identifiers.csv",
    clean: cells,
    contents: toCsv(
      addColumn(
        addColumn(cells.train, "patient", (_, i) => `P-${(7919 * i) % 100_003}`),
        "row",
        (_, i) => String(i + 1),
      ),
    ),
    says: /identifier/,
  },
  {
    name: "constant-columns.csv",
    clean: cells,
    contents: toCsv(
      addColumn(
        addColumn(cells.train, "country", () => "US"),
        "empty",
        () => "",
      ),
    ),
  },
  {
    name: "copies.csv",
    clean: cells,
    contents: toCsv({ names: cellNames, rows: [...cells.train.rows, ...cells.train.rows.toReversed()] }),
    says: /repeat|cop(y|ies)/,
  },
  {
    name: "twenty-rows.csv",
    clean: cells,
    contents: toCsv({ names: cellNames, rows: cells.train.rows.slice(0, 20) }),
    isWorse: true,
    says: /20 rows/,
  },
  { name: "notes.csv", clean: noted, contents: toCsv(noted.train), says: /text/ },

  // Damage.
  {
    name: "ragged.csv",
    clean: cells,
    contents: toCsv({
      names: cellNames,
      rows: cells.train.rows.map((row, i) => (i === 99 ? [...row, "9"] : row)),
    }),
    refuses: /row 100/,
  },
  {
    name: "same-name-twice.csv",
    clean: cells,
    contents: toCsv(renamed(cells.train, "cell_shape", "cell_size")),
    refuses: /both called "cell_size"/,
  },
];

function withHeader({ names, rows }: TextTable) {
  return { rows: [[...names], ...rows] };
}

/** Spells one class in 25 in another way. */
function strewnClasses(): TextTable {
  const variants = [
    (label: string) => `${label} `,
    (label: string) => label.toUpperCase(),
    (label: string) => label[0].toUpperCase() + label.slice(1),
    (label: string) => `${label}t`,
  ];
  return mapValues(cells.train, ["label"], (label, row) =>
    row % 25 === 0 ? variants[(row / 25) % variants.length](label) : label,
  );
}
