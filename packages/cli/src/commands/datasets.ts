import { fetchDataset, listDatasets, locateDataset } from "@vouch/datasets";
import { formatNumber } from "vouch";
import { nearestName, VouchError } from "vouch/errors";
import { alignedTable } from "../aligned-table.js";
import { interruptible } from "../interruption.js";
import type { PrintingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { type Terminal, tableWidth } from "../terminal.js";

/** Flags of `vouch datasets`. */
export interface DatasetsFlags extends PrintingFlags {}

/** `vouch datasets [list | get NAME]`. */
export async function datasets(
  action: string,
  name: string | undefined,
  flags: DatasetsFlags,
  terminal: Terminal,
): Promise<void> {
  if (action === "list" && name === undefined) return list(flags, terminal);
  if (action === "get" && name !== undefined) return get(name, flags, terminal);
  throw new VouchError(
    "option/invalid",
    `"vouch datasets ${action}${name ? ` ${name}` : ""}" is not understood.`,
    { hint: await advice(action, name) },
  );
}

/** Who names a data set only, or misspells what to do, is told the whole command. */
async function advice(action: string, name: string | undefined): Promise<string> {
  const names = (await listDatasets()).map(({ entry }) => entry.name);
  const meant = nearestName(name ?? action, names);
  return meant === undefined
    ? "Use 'vouch datasets list' or 'vouch datasets get NAME'."
    : `Did you mean 'vouch datasets get ${meant}'? 'vouch datasets list' shows all names.`;
}

async function list(flags: DatasetsFlags, { out }: Terminal): Promise<void> {
  const listed = await listDatasets();
  if (flags.json) {
    const plain = listed.map(({ entry, place }) => ({ ...entry, place: place ?? null }));
    out.write(`${JSON.stringify(plain, null, 2)}\n`);
    return;
  }
  const headings = [
    { title: "name", whole: true },
    { title: "rows", right: true },
    { title: "features", right: true },
    { title: "classes", right: true },
    { title: "here" },
    { title: "title" },
  ];
  const rows = listed.map(({ entry, place }) => [
    entry.name,
    entry.files
      .filter((file) => !file.labelsOnly)
      .map((file) => formatNumber(file.rows))
      .join(" / "),
    entry.features,
    entry.classes,
    place ?? "–",
    entry.title,
  ]);
  out.write(`${alignedTable(headings, rows, tableWidth(out))}\n`);
}

/** Whether a data set comes with vouch or lies in the user's own folder; the cache is filled anew. */
async function isAtHand(name: string): Promise<boolean> {
  const listed = await listDatasets();
  const place = listed.find(({ entry }) => entry.name === name)?.place;
  return place !== undefined && place !== "cache";
}

async function get(name: string, flags: DatasetsFlags, terminal: Terminal): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    if (!(await isAtHand(name))) await fetchDataset(name, { signal, onProgress: display.report });
    display.clear();
    const { entry, place, files } = await locateDataset(name);
    if (flags.json) terminal.out.write(`${JSON.stringify({ name: entry.name, place, files }, null, 2)}\n`);
    else terminal.out.write(`${Object.values(files).join("\n")}\n`);
  });
}
