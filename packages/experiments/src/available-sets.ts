import { listDatasets } from "@vouch/datasets";
import type { Scale } from "./experiment.js";

/** Which of some data sets an experiment can use. */
export interface AvailableSets {
  readonly present: readonly string[];
  /** Wanted at this scale, but not on the machine. */
  readonly absent: string[];
}

/** Of the data sets, those on the machine; at scale quick only shipped ones are wanted, so that it runs anywhere. */
export async function availableSets(names: readonly string[], scale: Scale): Promise<AvailableSets> {
  const wanted = (await listDatasets()).filter(
    ({ entry }) => names.includes(entry.name) && (scale === "paper" || entry.shipped),
  );
  const inOrder = (isPresent: boolean) =>
    names.filter((name) =>
      wanted.some(({ entry, place }) => entry.name === name && (place !== undefined) === isPresent),
    );
  return { present: inOrder(true), absent: inOrder(false) };
}

/** A remark on data sets that are absent, if there are any. */
export function absenceNote(absent: readonly string[]): string[] {
  return absent.length > 0 ? [`Not measured: ${absent.join(", ")}.`] : [];
}
