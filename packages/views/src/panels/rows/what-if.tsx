import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RowAnswer } from "../../facts/rows/row-answer.js";
import type { FormField, TypedRow } from "../../facts/rows/row-form.js";
import { AnswerPanel } from "./answer-panel.js";
import { RowFields, typicalRow } from "./row-fields.js";

/** Answers a row; a page computes the answer itself or asks its worker. */
export type AskRow = (row: TypedRow) => Promise<RowAnswer>;

/** Milliseconds without a keystroke before the model is asked. */
const PAUSE = 120;

interface WhatIfProps {
  readonly fields: readonly FormField[];
  readonly ask: AskRow;
  /** The row in the form; by default a typical one. */
  readonly row: TypedRow;
  readonly onRow: (row: TypedRow) => void;
}

/** Shows a form for one row, and the model's answer while someone types. */
export function WhatIf({ fields, ask, row, onRow }: WhatIfProps) {
  const { content, isBusy } = useAnswer(ask, row);
  return (
    <div class="what-if">
      <form onSubmit={(event) => event.preventDefault()}>
        <RowFields fields={fields} row={row} onRow={onRow} />
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

/** The current answer: absent before the first one, busy while a newer one is computed. */
interface ShownAnswer {
  readonly content?: ComponentChildren;
  readonly isBusy: boolean;
}

/** Debounces typing and drops stale answers. */
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
        (answer) => show(<AnswerPanel answer={answer} />),
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
