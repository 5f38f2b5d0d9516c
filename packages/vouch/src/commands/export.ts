import { writeFileAtomic } from "@vouch/core/internal/runtime/files/write-file";
import { formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { VouchError } from "@vouch/core/internal/runtime/vouch-error";
import { loadModel } from "@vouch/core/internal/train/file";
import { interruptible } from "../process/interruption.js";
import { checkInstalled } from "../process/optional-package.js";
import { checkOutputs } from "../process/output-file.js";
import { printable, printJson, type Terminal, writeText } from "../process/terminal.js";
import { exportToLibsvm, type LibsvmExportFlags } from "./libsvm.js";

/** Flags of `vouch export`. */
export interface ExportFlags extends LibsvmExportFlags {
  /** By default, the extension of the output file decides. */
  readonly format?: "onnx" | "libsvm";
}

/** `vouch export MODEL --out FILE`: writes a model for another program. */
export async function runExport(path: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { format = formatFromName(flags.out) } = flags;
  if (format === "libsvm") await exportToLibsvm(path, flags, terminal);
  else await exportToOnnx(path, flags, terminal);
}

/** Returns the format of a file name. LIBSVM models have no standard extension. */
function formatFromName(out: string): "onnx" {
  if (out.toLowerCase().endsWith(".onnx")) return "onnx";
  throw new VouchError("option/invalid", `The name ${out} does not say which format to write.`, {
    hint: "Write to a file that ends in .onnx, or choose with --format onnx or --format libsvm.",
  });
}

async function exportToOnnx(path: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { out, data, dataOut } = flags;
  if (data !== undefined || dataOut !== undefined) {
    throw new VouchError("option/invalid", "--data and --data-out are for --format libsvm.", {
      hint: "An ONNX model takes raw rows: nothing has to be encoded for it.",
    });
  }
  checkInstalled("@vouch/onnx", "--format onnx");
  checkOutputs({ out }, [path]);
  await interruptible(async () => {
    const classifier = await loadModel(path);
    const { exportOnnx } = await import("@vouch/onnx");
    const { bytes, versions, inputs, outputs } = exportOnnx(classifier);
    await writeFileAtomic(out, bytes);
    const { classes } = classifier;
    if (flags.json) {
      printJson(terminal, { model: out, bytes: bytes.length, classes, inputs, outputs, versions });
      return;
    }
    const size = `${formatCount(inputs.length, "input")} and ${formatCount(classes.length, "class", "classes")}`;
    const needs = `it needs ONNX Runtime ${versions.runtime} or later`;
    writeText(terminal.out, `model with ${size} written to ${printable(out)}; ${needs}\n`);
  });
}
