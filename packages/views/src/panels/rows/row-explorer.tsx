import type { Confusion } from "@vouch/core/internal/metrics/evaluation";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { useRef, useState } from "preact/hooks";
import type { FormField, TypedRow } from "../../facts/rows/row-form.js";
import type { WrongRows } from "../../facts/rows/wrong-rows.js";
import { ClientOnly } from "../../page/client-only.js";
import { CommandBlock, Section } from "../../page/sections.js";
import { type ConfusionCell, ConfusionTable } from "../evaluation/confusion-table.js";
import { typicalRow } from "./row-fields.js";
import { type AskRow, WhatIf } from "./what-if.js";
import { WrongRowTable } from "./wrong-row-table.js";

/** Why there is no form to ask about rows, and the command to use instead. */
export interface FormAbsence {
  readonly reason: string;
  readonly command?: string;
}

interface RowExplorerProps {
  readonly confusion: Confusion;
  readonly fields: readonly FormField[];
  readonly wrong: WrongRows;
  /** A note about the rows that were counted. */
  readonly note?: string | undefined;
  /** Answers a row; without it, there is no form. */
  readonly ask?: AskRow | undefined;
  /** Shown instead of the form. */
  readonly noForm?: FormAbsence | undefined;
}

/**
 * Shows the confusion matrix, a form for one row, and the misclassified rows. Cells of the matrix filter these rows,
 * and a row opens in the form.
 */
export function RowExplorer({ confusion, fields, wrong, note, ask, noForm }: RowExplorerProps) {
  const [row, setRow] = useState<TypedRow>(() => typicalRow(fields));
  const [picked, setPicked] = useState<ConfusionCell | undefined>(undefined);
  const form = useRef<HTMLElement>(null);
  const list = useRef<HTMLElement>(null);
  const onTry = ({ cells }: { readonly cells: TypedRow }) => {
    setRow(cells);
    goTo(form.current);
  };
  const onPick = (cell: ConfusionCell) => {
    setPicked(cell);
    goTo(list.current);
  };
  const hasWrong = wrong.rows.length > 0;
  return (
    <>
      {confusion.classes.length > 0 && (
        <Section heading="Which classes does it confuse?">
          <ConfusionTable
            confusion={confusion}
            note={note}
            picked={picked}
            onPick={hasWrong ? onPick : undefined}
          />
        </Section>
      )}
      {ask && (
        <ClientOnly>
          <Section heading="What if?" place={form}>
            <WhatIf fields={fields} ask={ask} row={row} onRow={setRow} />
          </Section>
        </ClientOnly>
      )}
      {!ask && noForm && (
        <Section heading="What if?">
          <p>{noForm.reason}</p>
          {noForm.command !== undefined && <CommandBlock command={noForm.command} />}
        </Section>
      )}
      {hasWrong && (
        <Section heading="Which rows does it get wrong?" place={list}>
          {picked && <Picked confusion={confusion} cell={picked} onAll={() => setPicked(undefined)} />}
          <WrongRowTable
            key={picked && `${picked.trueClass} ${picked.predicted}`}
            wrong={picked ? selectWrong(wrong, confusion, picked) : wrong}
            fields={fields}
            onTry={ask && onTry}
          />
        </Section>
      )}
    </>
  );
}

/** Scrolls to a section and focuses it. */
function goTo(section: HTMLElement | null): void {
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

/** Keeps the rows of one cell of the confusion matrix. */
function selectWrong(wrong: WrongRows, { classes, matrix }: Confusion, cell: ConfusionCell): WrongRows {
  const [actual, predicted] = [classes[cell.trueClass], classes[cell.predicted]];
  return {
    ...wrong,
    total: matrix[cell.trueClass][cell.predicted],
    rows: wrong.rows.filter((row) => row.actual === actual && row.predicted === predicted),
  };
}

interface PickedProps {
  readonly confusion: Confusion;
  readonly cell: ConfusionCell;
  readonly onAll: () => void;
}

/** Names the listed rows, with a link back to all. */
function Picked({ confusion: { classes, matrix }, cell, onAll }: PickedProps) {
  const count = formatCount(matrix[cell.trueClass][cell.predicted], "row");
  return (
    <p>
      {count} of “{visibleSpaces(classes[cell.trueClass])}” predicted as “
      {visibleSpaces(classes[cell.predicted])}”.{" "}
      <button type="button" onClick={onAll}>
        All errors
      </button>
    </p>
  );
}
