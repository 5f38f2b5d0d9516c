import { useState } from "preact/hooks";
import { formatPercent } from "vouch/predict";
import type { AskField, Fault, ModelOverview, RowAnswer } from "../engine/protocol.js";
import { FaultBox } from "../page/fault-box.js";
import { faultShown } from "../page/studio.js";

/** More fields than this are folded. */
const FEW_FIELDS = 12;

interface AskFormProps {
  readonly overview: ModelOverview;
  readonly ask: (row: Readonly<Record<string, string>>) => Promise<RowAnswer>;
}

/** A form that asks the model about one row. */
export function AskForm({ overview: { fields, target }, ask }: AskFormProps) {
  const [row, setRow] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(({ name, example }) => [name, example])),
  );
  const [answer, setAnswer] = useState<RowAnswer>();
  const [fault, setFault] = useState<Fault>();
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      setFault(undefined);
      setAnswer(await ask(row));
    } catch (error) {
      setAnswer(undefined);
      setFault(faultShown(error));
    }
  };
  const shown = (some: readonly AskField[]) =>
    some.map((field) => (
      <RowField
        key={field.name}
        field={field}
        value={row[field.name] ?? ""}
        onValue={(value) => setRow((now) => ({ ...now, [field.name]: value }))}
      />
    ));
  return (
    <section aria-labelledby="ask-title">
      <h3 id="ask-title">Ask about one row</h3>
      <form class="ask" onSubmit={(event) => void submit(event)}>
        <div class="fields">{shown(fields.slice(0, FEW_FIELDS))}</div>
        {fields.length > FEW_FIELDS && (
          <details>
            <summary>{fields.length - FEW_FIELDS} more columns</summary>
            <div class="fields">{shown(fields.slice(FEW_FIELDS))}</div>
          </details>
        )}
        <p class="actions">
          <button type="submit">Predict {target}</button>
        </p>
      </form>
      <FaultBox fault={fault} />
      <div role="status">{answer && <Answer answer={answer} />}</div>
    </section>
  );
}

interface RowFieldProps {
  readonly field: AskField;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function RowField({ field: { name, kind, levels }, value, onValue }: RowFieldProps) {
  return (
    <label>
      {name}
      {kind === "categorical" ? (
        <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
          <option value="">(missing)</option>
          {levels.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
      ) : kind === "numeric" ? (
        <input
          type="number"
          step="any"
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      ) : (
        <input type="text" value={value} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
      )}
    </label>
  );
}

function Answer({ answer: { prediction, probabilities, reasons, notices } }: { readonly answer: RowAnswer }) {
  const own = probabilities.find((each) => each.class === prediction)?.probability;
  const largest = Math.max(...reasons.map(({ contribution }) => Math.abs(contribution)), 1e-12);
  return (
    <div class="answer">
      <p class="headline">
        {prediction === "" ? "No answer: the model is not sure enough." : prediction}
        {own !== undefined && prediction !== "" && <span class="hint"> with probability {formatPercent(own)}</span>}
      </p>
      {notices.map((notice) => (
        <p key={notice} class="note">
          {notice}
        </p>
      ))}
      {reasons.length > 0 && (
        <>
          <h4>Reasons</h4>
          <ul class="reasons">
            {reasons.map(({ text, contribution }) => (
              <li key={text} class={contribution < 0 ? "against" : "for"}>
                <span>{text}</span>
                <i aria-hidden="true">
                  <u style={{ width: `${(100 * Math.abs(contribution)) / largest}%` }} />
                </i>
                <b>{contribution < 0 ? "against" : "for"}</b>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
