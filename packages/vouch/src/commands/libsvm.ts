import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { formatCount, shortList } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { loadLibsvmModel, loadModel, saveModel } from "@vouch/core/internal/train/file";
import { exportLibsvm, libsvmLabels, libsvmRows } from "@vouch/core/internal/train/libsvm";
import { readNewData } from "../input/reading.js";
import type { PrintingFlags } from "../options/flags.js";
import { interruptible } from "../process/interruption.js";
import { checkOutputs } from "../process/output-file.js";
import { ProgressDisplay } from "../process/progress-display.js";
import { noticePrinter, printable, printJson, type Terminal, writeText } from "../process/terminal.js";

/** Files that `vouch export --format libsvm` reads and writes. */
export interface LibsvmExportFlags extends PrintingFlags {
  readonly out: string;
  readonly data?: string;
  readonly dataOut?: string;
}

/** `vouch export MODEL --format libsvm --out FILE`: writes a model for LIBSVM, and encodes rows for it. */
export async function exportToLibsvm(
  path: string,
  flags: LibsvmExportFlags,
  terminal: Terminal,
): Promise<void> {
  const { out, data, dataOut } = flags;
  checkFiles(path, flags);
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    const classifier = await loadModel(path);
    const labels = libsvmLabels(classifier);
    const model = exportLibsvm(classifier);
    let rows: string | undefined;
    if (data !== undefined) {
      const { target, columns: like } = classifier.encoder.schema;
      const reading = { flags: { header: true }, target, like, signal, progress: display.report };
      const table = await readNewData(data, reading);
      display.clear();
      rows = libsvmRows(classifier, table, noticePrinter(flags, terminal));
    }
    await writeFileAtomic(out, new TextEncoder().encode(model));
    if (dataOut !== undefined) await writeFileAtomic(dataOut, new TextEncoder().encode(rows));
    const named = classifier.classes.map((name, k) => ({ class: name, label: labels[k] }));
    if (flags.json) printJson(terminal, { model: out, data: dataOut, labels: named });
    else writeText(terminal.out, summary(flags, named));
  });
}

function checkFiles(path: string, { out, data, dataOut }: LibsvmExportFlags): void {
  if ((data === undefined) !== (dataOut === undefined)) {
    throw new VouchError("option/invalid", "--data and --data-out go together.", {
      hint: "--data names the rows, --data-out the file to write them to.",
    });
  }
  checkOutputs({ out, "data-out": dataOut }, [path, data]);
}

function summary(
  { out, dataOut }: LibsvmExportFlags,
  labels: readonly { class: string; label: number }[],
): string {
  const renamed = labels.filter(({ class: name, label }) => name !== String(label));
  const names = shortList(renamed, 20, ({ class: name, label }) => `${label} is ${name}`);
  return [
    `model written to ${printable(out)}, with ${formatCount(labels.length, "class", "classes")}`,
    ...(names === "" ? [] : [`labels: ${printable(names)}`]),
    ...(dataOut !== undefined ? [`encoded rows written to ${printable(dataOut)}`] : []),
    "",
  ].join("\n");
}

/** Flags of `vouch import`. */
export interface ImportFlags extends PrintingFlags {
  readonly out: string;
  readonly features?: number;
}

/** `vouch import FILE --format libsvm --out MODEL`: saves a LIBSVM model as a vouch model. */
export async function runImport(path: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const { out, features } = flags;
  checkOutputs({ out }, [path]);
  const classifier = await loadLibsvmModel(path, { features });
  await saveModel(out, classifier);
  classifier.card.notices.forEach(noticePrinter(flags, terminal));
  const { columns } = classifier.encoder.schema;
  const { classes } = classifier;
  if (flags.json) {
    const description = classifier.model.describe();
    printJson(terminal, { model: out, features: columns.length, classes, description });
    return;
  }
  const size = `${formatCount(columns.length, "feature")} and ${formatCount(classes.length, "class", "classes")}`;
  writeText(terminal.out, `model with ${size} saved to ${printable(out)}\n`);
}
