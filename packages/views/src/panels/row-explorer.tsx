import { useRef, useState } from "preact/hooks";
import { Alive } from "../alive.js";
import type { FormField, TypedRow } from "../facts/row-form.js";
import type { WrongRows } from "../facts/wrong-rows.js";
import { Section } from "../sections.js";
import { type AskRow, typicalRow, WhatIf } from "./what-if.js";
import { WrongRowTable } from "./wrong-row-table.js";

interface RowExplorerProps {
  readonly fields: readonly FormField[];
  readonly wrong: WrongRows;
  /** Answers a row; without it there is no form. */
  readonly ask?: AskRow | undefined;
}

/** Shows the form for one row, and the misclassified rows, which open in it. */
export function RowExplorer({ fields, wrong, ask }: RowExplorerProps) {
  const [row, setRow] = useState<TypedRow>(() => typicalRow(fields));
  const form = useRef<HTMLElement>(null);
  const onTry = ({ cells }: { readonly cells: TypedRow }) => {
    setRow(cells);
    form.current?.scrollIntoView({ block: "start" });
    form.current?.focus({ preventScroll: true });
  };
  return (
    <>
      {ask && (
        <Alive>
          <Section heading="What if?" place={form}>
            <WhatIf fields={fields} ask={ask} row={row} onRow={setRow} />
          </Section>
        </Alive>
      )}
      {wrong.rows.length > 0 && (
        <Section heading="Which rows does it get wrong?">
          <WrongRowTable wrong={wrong} fields={fields} onTry={ask && onTry} />
        </Section>
      )}
    </>
  );
}
