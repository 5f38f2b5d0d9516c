import { exportLibsvm, formatCount, libsvmLabels, libsvmRows, VouchError } from "vouch";
import { loadModel, writeFileAtomic } from "vouch/node";
import { interruptible } from "../interruption.js";
import { noticePrinter } from "../notices.js";
import { checkOutputs } from "../output-file.js";
import type { PrintingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import type { Terminal } from "../terminal.js";

/** Flags of `vouch export`. */
export interface ExportFlags extends PrintingFlags {
  readonly out: string;
  readonly data?: string;
  readonly dataOut?: string;
}

/** `vouch export MODEL --format libsvm --out FILE`: a model as a LIBSVM model file, and rows that it takes. */
export async function exportModel(path: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
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
    if (flags.json)
      terminal.out.write(`${JSON.stringify({ model: out, data: dataOut, labels: named }, null, 2)}\n`);
    else terminal.out.write(summary(flags, named));
  });
}

function checkFiles(path: string, { out, data, dataOut }: ExportFlags): void {
  if ((data === undefined) !== (dataOut === undefined)) {
    throw new VouchError("option/invalid", "--data and --data-out go together.", {
      hint: "--data names the rows, --data-out the file for the encoded rows.",
    });
  }
  checkOutputs({ out, "data-out": dataOut }, [path, data]);
}

function summary({ out, dataOut }: ExportFlags, labels: readonly { class: string; label: number }[]): string {
  const renamed = labels.filter(({ class: name, label }) => name !== String(label));
  const names = renamed.map(({ class: name, label }) => `${label} is ${name}`);
  return [
    `model written to ${out}, with ${formatCount(labels.length, "class", "classes")}`,
    ...(names.length > 0 ? [`labels: ${names.join(", ")}`] : []),
    ...(dataOut !== undefined ? [`encoded rows written to ${dataOut}`] : []),
    "",
  ].join("\n");
}
