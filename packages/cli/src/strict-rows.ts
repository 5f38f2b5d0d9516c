import { type Classifier, type RowCheck, type Table, unlikeTraining, VouchError } from "vouch/predict";

/** The flag of commands that compare rows with the training rows. */
export interface StrictFlags {
  readonly strict?: boolean;
}

/** Starts the comparison of rows with the training rows. Throws if `--strict` asks for one and the model cannot be compared with. */
export async function startCheck(
  classifier: Pick<Classifier, "rowCheck">,
  { strict }: StrictFlags,
): Promise<RowCheck | undefined> {
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

/** Throws if `--strict` forbids the rows that were compared. */
export function refuseUnlike(check: RowCheck | undefined, { strict }: StrictFlags, table: string): void {
  const findings = strict ? (check?.findings() ?? []) : [];
  if (findings.length > 0) throw unlikeTraining(table, findings);
}

/** Throws if `--strict` forbids the rows of a table. */
export async function refuseUnlikeRows(
  classifier: Classifier,
  table: Table,
  flags: StrictFlags,
): Promise<void> {
  if (!flags.strict) return;
  const check = await startCheck(classifier, flags);
  check?.add(table);
  refuseUnlike(check, flags, table.name);
}
