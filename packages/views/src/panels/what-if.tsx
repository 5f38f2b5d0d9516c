import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/number-format";
import type { ComponentChildren, TargetedInputEvent } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { BarList } from "../bars.js";
import type { RowAnswer } from "../facts/row-answer.js";
import type { FormField, TypedRow } from "../facts/row-form.js";
import { Name } from "../name.js";
import { classNames, shortened } from "../text.js";
import { ReasonBars } from "./reason-bars.js";

/** Answers a row; a page computes the answer itself or asks its worker. */
export type AskRow = (row: TypedRow) => Promise<RowAnswer>;

/** Fields that show at first, and at most; the others keep their values. */
const FIRST_FIELDS = 8;
const MOST_FIELDS = 200;

/** Milliseconds without a keystroke before the model is asked. */
const PAUSE = 120;

interface WhatIfProps {
  readonly fields: readonly FormField[];
  readonly ask: AskRow;
  /** The row in the form; a typical one by default. */
  readonly row: TypedRow;
  readonly onRow: (row: TypedRow) => void;
}

/** Returns the row with the typical value of each column. */
export function typicalRow(fields: readonly FormField[]): TypedRow {
  return Object.fromEntries(fields.map(({ name, typical }) => [name, typical]));
}

/** Shows a form for one row and what the model answers as a person types. */
export function WhatIf({ fields, ask, row, onRow }: WhatIfProps) {
  const { content, isBusy } = useAnswer(ask, row);
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
    <div class="what-if">
      <form onSubmit={(event) => event.preventDefault()}>
        <div class="fields">{inputs(first)}</div>
        {others.length > 0 && (
          <details>
            <summary>{formatCount(fields.length - first.length, "more column")}</summary>
            <div class="fields">{inputs(others)}</div>
          </details>
        )}
        <button type="button" onClick={() => onRow(typicalRow(fields))}>
          Typical row
        </button>
      </form>
      <output class="answer" aria-live="polite" aria-busy={isBusy}>
        {content ?? <p class="note">The first answer takes longer: the page loads the model.</p>}
      </output>
    </div>
  );
}

/** The answer to show: absent before the first one, busy while a newer one is computed. */
interface ShownAnswer {
  readonly content?: ComponentChildren;
  readonly isBusy: boolean;
}

/** Asks about a row once nobody has typed for a moment; a later row replaces an earlier one that is still being answered. */
function useAnswer(ask: AskRow, row: TypedRow): ShownAnswer {
  const [shown, setShown] = useState<ShownAnswer>({ isBusy: true });
  useEffect(() => {
    let isCurrent = true;
    const show = (content: ComponentChildren) => {
      if (isCurrent) setShown({ content, isBusy: false });
    };
    setShown((last) => ({ ...last, isBusy: true }));
    const timer = setTimeout(() => {
      ask(row).then(
        (answer) => show(<Answer answer={answer} />),
        (error: unknown) => show(<p>{error instanceof Error ? error.message : String(error)}</p>),
      );
    }, PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [ask, row]);
  return shown;
}

interface FieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function Field({ field, value, onValue }: FieldProps) {
  const id = useId();
  const { name, kind, levels } = field;
  // What a field of numbers cannot read has no value, as if the cell were missing.
  const [isUnread, setUnread] = useState(false);
  const warning = isUnread ? "Not a number: taken as missing." : warningOf(field, value);
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

/** Says that a number is unlike those of the training rows. */
function warningOf({ range }: FormField, value: string): string | undefined {
  if (!range || value === "") return undefined;
  const [least, most] = range;
  const number = Number(value);
  return number >= least && number <= most
    ? undefined
    : `Training rows: ${formatNumber(least)} to ${formatNumber(most)}`;
}

/** Classes whose probabilities are shown. */
const MOST_CLASSES = 6;

function Answer({ answer }: { readonly answer: RowAnswer }) {
  const { class: name, probabilities, set, reasons } = answer;
  const bars = probabilities.slice(0, MOST_CLASSES).map((one) => ({
    name: one.class,
    shown: formatPercent(one.probability),
    value: one.probability,
  }));
  return (
    <>
      <p class="predicted">{name === "" ? "No answer: the model is unsure." : <Name text={name} />}</p>
      {bars.length > 0 && <BarList label="Probability of each class" bars={bars} end={1} />}
      {set && <p class="note">Prediction set: {set.length === 0 ? "empty" : set.join(", ")}</p>}
      {reasons && <ReasonBars reasons={reasons} />}
    </>
  );
}
