import { shiftError } from "@vouch/core/internal/checks/data-shift";
import type { ShiftDetector } from "@vouch/core/internal/checks/shift-detector";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import type { Table } from "@vouch/core/internal/table/table";
import type { Classifier } from "@vouch/core/internal/train/classifier";
import type { ReadingFlags } from "../options/flags.js";
import type { CommandContext } from "../process/command-context.js";
import { readNewData } from "./reading.js";

/** Flags of commands that compare rows with the training rows. */
export interface StrictFlags {
  readonly strict?: boolean;
}

/** Starts comparing rows with the training rows. Throws if `--strict` requires it and the model does not allow it. */
export async function startCheck(
  classifier: Pick<Classifier, "rowCheck">,
  { strict }: StrictFlags,
): Promise<ShiftDetector | undefined> {
  const check = await classifier.rowCheck();
  if (check || !strict) return check;
  throw new VouchError(
    "option/invalid",
    "--strict needs a summary of the training rows, but the model has none.",
    {
      hint: "Another program trained it: leave out --strict.",
    },
  );
}

/** Throws if `--strict` rejects the compared rows. */
export function refuseShifted(
  check: ShiftDetector | undefined,
  { strict }: StrictFlags,
  table: string,
): void {
  const findings = strict ? (check?.findings() ?? []) : [];
  if (findings.length > 0) throw shiftError(table, findings);
}

/** Reads labelled rows to test a classifier on. Throws if `--strict` rejects them. */
export async function readTestRows(
  classifier: Classifier,
  data: string,
  flags: ReadingFlags & StrictFlags,
  { executor, display, stops: { abort: signal } }: CommandContext,
): Promise<Table> {
  const { target, columns: like } = classifier.encoder.schema;
  const progress = display.report;
  const table = await readNewData(data, { flags, target, like, signal, progress, executor, tasks: [] });
  display.clear();
  if (!flags.strict) return table;
  const check = await startCheck(classifier, flags);
  check?.add(table);
  refuseShifted(check, flags, table.name);
  return table;
}
