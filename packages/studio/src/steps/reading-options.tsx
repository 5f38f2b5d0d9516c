import type { ComponentChildren } from "preact";
import { type ReadingChoices, readingFields } from "../engine/reading-choices.js";
import { useDraft } from "../options/use-draft.js";

interface ReadingOptionsProps {
  readonly fileName: string;
  readonly reading: ReadingChoices;
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onChange: (reading: ReadingChoices) => void;
}

type FieldName = keyof ReadingChoices;

/** Lets the user correct what was detected about a file's format. */
export function ReadingOptions({ fileName, reading, isOpen, isDisabled, onChange }: ReadingOptionsProps) {
  const names = readingFields(fileName);
  const change = <Name extends FieldName>(name: Name, value: ReadingChoices[Name] | undefined) => {
    const { [name]: _, ...others } = reading;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const count = Object.keys(reading).length;
  return (
    <details class="reading" open={isOpen || count > 0}>
      <summary>How the file is written{count > 0 ? ` (${count} changed)` : ""}</summary>
      <fieldset class="choices" disabled={isDisabled}>
        <legend class="unseen">How the file is written</legend>
        {names.map((name) => (
          <ReadingField key={name} name={name} reading={reading} change={change} />
        ))}
      </fieldset>
    </details>
  );
}

interface ReadingFieldProps {
  readonly name: FieldName;
  readonly reading: ReadingChoices;
  readonly change: <Name extends FieldName>(name: Name, value: ReadingChoices[Name] | undefined) => void;
}

const FOUND = "as found in the file";

const DELIMITERS = [
  { value: ",", title: "comma" },
  { value: ";", title: "semicolon" },
  { value: "\t", title: "tab" },
  { value: "|", title: "vertical bar" },
] as const;

const ENCODINGS = [
  { value: "utf-8", title: "UTF-8" },
  { value: "windows-1252", title: "Western European (Windows-1252)" },
  { value: "windows-1250", title: "Central European (Windows-1250)" },
  { value: "windows-1251", title: "Cyrillic (Windows-1251)" },
  { value: "utf-16le", title: "UTF-16" },
  { value: "shift_jis", title: "Japanese (Shift JIS)" },
  { value: "gbk", title: "Chinese (GBK)" },
] as const;

const DATE_ORDERS = [
  { value: "day-first", title: "day first: 3 April" },
  { value: "month-first", title: "month first: March 4" },
] as const;

function ReadingField({ name, reading, change }: ReadingFieldProps) {
  switch (name) {
    case "delimiter":
      return (
        <Choice
          label="Columns are separated by"
          value={reading.delimiter}
          options={DELIMITERS}
          onValue={(value) => change("delimiter", value)}
        />
      );
    case "encoding":
      return (
        <Choice
          label="Encoding"
          value={reading.encoding}
          options={ENCODINGS}
          onValue={(value) => change("encoding", value)}
        />
      );
    case "decimalComma":
      return (
        <Choice
          label="Decimal mark"
          value={reading.decimalComma === undefined ? undefined : reading.decimalComma ? "comma" : "point"}
          options={[
            { value: "comma", title: "comma: 0,5" },
            { value: "point", title: "point: 0.5" },
          ]}
          onValue={(value) => change("decimalComma", value === undefined ? undefined : value === "comma")}
        />
      );
    case "dateOrder":
      return (
        <Choice
          label="Dates such as 03/04/2024"
          value={reading.dateOrder}
          options={DATE_ORDERS}
          onValue={(value) => change("dateOrder", DATE_ORDERS.find((order) => order.value === value)?.value)}
        />
      );
    case "header":
      return (
        <Choice
          label="Column names"
          found="in the first line"
          value={reading.header === false ? "none" : undefined}
          options={[{ value: "none", title: "none: the first line is a row" }]}
          onValue={(value) => change("header", value === undefined ? undefined : false)}
        />
      );
    case "keepTotals":
      return (
        <Choice
          label="Last line such as “Total”"
          found="is left out"
          value={reading.keepTotals ? "kept" : undefined}
          options={[{ value: "kept", title: "is a row" }]}
          onValue={(value) => change("keepTotals", value === undefined ? undefined : true)}
        />
      );
    case "skip":
      return (
        <Typed
          label="Lines to skip above the table"
          value={reading.skip === undefined ? "" : String(reading.skip)}
          isNumber
          onText={(text) => change("skip", lineCount(text))}
        />
      );
    case "missing":
      return (
        <Typed
          label="Words for missing values"
          value={(reading.missing ?? []).join(", ")}
          hint="Separated by commas: unknown, -99"
          onText={(text) => change("missing", splitWords(text))}
        />
      );
    case "sheet":
      return (
        <Typed
          label="Sheet"
          value={reading.sheet ?? ""}
          hint="Its name, or its number from 1"
          onText={(text) => change("sheet", text === "" ? undefined : text)}
        />
      );
  }
}

interface ChoiceProps {
  readonly label: string;
  readonly found?: string;
  readonly value: string | undefined;
  readonly options: readonly { readonly value: string; readonly title: string }[];
  readonly onValue: (value: string | undefined) => void;
}

function Choice({ label, found = FOUND, value, options, onValue }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        value={value ?? ""}
        onChange={({ currentTarget }) =>
          onValue(currentTarget.value === "" ? undefined : currentTarget.value)
        }
      >
        <option value="">{found}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly hint?: ComponentChildren;
  readonly isNumber?: boolean;
  readonly onText: (text: string) => void;
}

function Typed({ label, value, hint, isNumber = false, onText }: TypedProps) {
  const typed = useDraft(value, (text) => {
    onText(text);
    return true;
  });
  return (
    <label>
      {label}
      <input
        {...typed}
        {...(isNumber ? { type: "number", min: "0", step: "1" } : { type: "text" })}
        placeholder={FOUND}
      />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}

function lineCount(text: string): number | undefined {
  const lines = Math.round(Number(text));
  return text === "" || !Number.isFinite(lines) || lines < 0 ? undefined : lines;
}

function splitWords(text: string): readonly string[] | undefined {
  const words = text.split(",").flatMap((word) => word.trim() || []);
  return words.length === 0 ? undefined : words;
}
