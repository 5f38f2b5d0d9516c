import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { nearestName } from "@vouch/core/internal/runtime/text/suggestions";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { fetchDataset, listDatasets, locateDataset } from "@vouch/datasets";
import { alignedTable } from "../format/aligned-table.js";
import type { PrintingFlags } from "../options/flags.js";
import { interruptible } from "../process/interruption.js";
import { ProgressDisplay } from "../process/progress-display.js";
import { noticePrinter, printJson, type Terminal, tableWidth, writeText } from "../process/terminal.js";

/** `vouch datasets [list | get NAME]`. */
export async function runDatasets(
  action: string,
  name: string | undefined,
  flags: PrintingFlags,
  terminal: Terminal,
): Promise<void> {
  if (action === "list" && name === undefined) return list(flags, terminal);
  if (action === "get" && name !== undefined) return get(name, flags, terminal);
  throw new VouchError(
    "option/invalid",
    `Unknown action: vouch datasets ${action}${name ? ` ${name}` : ""}`,
    { hint: await advice(action, name) },
  );
}

/** Suggests the full command to users who name only a data set or misspell an action. */
async function advice(action: string, name: string | undefined): Promise<string> {
  const names = (await listDatasets()).map(({ entry }) => entry.name);
  const meant = nearestName(name ?? action, names);
  return meant === undefined
    ? "Use 'vouch datasets list' or 'vouch datasets get NAME'."
    : `Did you mean 'vouch datasets get ${meant}'? 'vouch datasets list' shows all names.`;
}

async function list(flags: PrintingFlags, terminal: Terminal): Promise<void> {
  const listed = await listDatasets();
  if (flags.json) {
    const plain = listed.map(({ entry, place }) => ({ ...entry, place: place ?? null }));
    printJson(terminal, plain);
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
  writeText(terminal.out, `${alignedTable(headings, rows, tableWidth(terminal.out))}\n`);
}

/**
 * Returns whether a data set ships with vouch or lies in the user's own folder; one in the cache is downloaded again.
 */
async function isAtHand(name: string): Promise<boolean> {
  const listed = await listDatasets();
  const place = listed.find(({ entry }) => entry.name === name)?.place;
  return place !== undefined && place !== "cache";
}

async function get(name: string, flags: PrintingFlags, terminal: Terminal): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    if (!(await isAtHand(name))) {
      const { verified } = await fetchDataset(name, { signal, onProgress: display.report });
      display.clear();
      if (verified === "counts") {
        noticePrinter(
          flags,
          terminal,
        )(
          `The catalogue has no checksum of ${name}: vouch verified the numbers of rows, features and classes, and recorded the checksum.`,
        );
      }
    }
    const { entry, place, files } = await locateDataset(name);
    if (flags.json) printJson(terminal, { name: entry.name, place, files });
    else writeText(terminal.out, `${Object.values(files).join("\n")}\n`);
  });
}
