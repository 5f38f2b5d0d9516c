import { formatCount, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import type { TargetedInputEvent } from "preact";
import { useId, useState } from "preact/hooks";
import type { FormField, TypedRow } from "../../facts/rows/row-form.js";
import { Name } from "../../text/name.js";
import { classNames, shortened } from "../../text/text.js";

/** Number of fields that show at first, and the maximum; hidden fields keep their values. */
const FIRST_FIELDS = 8;
const MOST_FIELDS = 200;

interface RowFieldsProps {
  readonly fields: readonly FormField[];
  readonly row: TypedRow;
  readonly onRow: (row: TypedRow) => void;
}

/** Returns the row with the typical value of each column. */
export function typicalRow(fields: readonly FormField[]): TypedRow {
  return Object.fromEntries(fields.map(({ name, typical }) => [name, typical]));
}

/** Shows a field for each column of a row: the first ones at once, the rest folded. */
export function RowFields({ fields, row, onRow }: RowFieldsProps) {
  const first = fields.slice(0, FIRST_FIELDS);
  const others = fields.slice(FIRST_FIELDS, MOST_FIELDS);
  const inputs = (some: readonly FormField[]) =>
    some.map((field) => (
      <Field
        key={field.name}
        field={field}
        value={row[field.name] ?? ""}
        onValue={(value) => onRow({ ...row, [field.name]: value })}
      />
    ));
  return (
    <>
      <div class="fields">{inputs(first)}</div>
      {others.length > 0 && (
        <details>
          <summary>{formatCount(fields.length - first.length, "more column")}</summary>
          <div class="fields">{inputs(others)}</div>
        </details>
      )}
    </>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Field({ field, value, onValue }: FieldProps) {
  const id = useId();
  const { name, kind, levels } = field;
  // Unreadable input in a numeric field counts as a missing cell.
  const [isUnread, setUnread] = useState(false);
  const warning = isUnread ? "Not a number: taken as missing." : fieldWarning(field, value);
  const shared = {
    id,
    value,
    placeholder: "missing",
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => {
      setUnread(currentTarget.validity.badInput);
      onValue(currentTarget.value);
    },
    ...(warning !== undefined && { "aria-describedby": `${id}-warning` }),
  };
  return (
    <div class={classNames("field", kind === "text" && "long")}>
      <label for={id} title={name}>
        <Name text={name} most={40} />
      </label>
      {levels ? (
        <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {value !== "" && !levels.includes(value) && <option value={value}>{shortened(value, 60)}</option>}
          {levels.map((level) => (
            <option key={level} value={level}>
              {shortened(level, 60)}
            </option>
          ))}
          <option value="">(missing)</option>
        </select>
      ) : kind === "numeric" ? (
        <input type="number" step="any" {...shared} />
      ) : (
        <input type="text" {...shared} />
      )}
      {warning !== undefined && (
        <span class="field-warning" id={`${id}-warning`}>
          {warning}
        </span>
      )}
    </div>
  );
}

/** Warns that a number is unlike the training rows. */
function fieldWarning({ range }: FormField, value: string): string | undefined {
  if (!range || value === "") return undefined;
  const [least, most] = range;
  const number = Number(value);
  return number >= least && number <= most
    ? undefined
    : `Training rows: ${formatNumber(least)} to ${formatNumber(most)}`;
}
