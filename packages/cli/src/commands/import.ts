import { formatCount } from "vouch";
import { loadLibsvmModel, saveModel } from "vouch/node";
import { noticePrinter } from "../notices.js";
import { checkOutputs } from "../output-file.js";
import type { PrintingFlags } from "../program.js";
import type { Terminal } from "../terminal.js";

/** Flags of `vouch import`. */
export interface ImportFlags extends PrintingFlags {
  readonly out: string;
  readonly features?: number;
}

/** `vouch import FILE --format libsvm --out MODEL`: a model of LIBSVM as a model of vouch. */
export async function importModel(path: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const { out, features } = flags;
  checkOutputs({ out }, [path]);
  const classifier = await loadLibsvmModel(path, { ...(features !== undefined && { features }) });
  await saveModel(out, classifier);
  classifier.card.notices.forEach(noticePrinter(flags, terminal));
  const { columns } = classifier.encoder.schema;
  const { classes } = classifier;
  if (flags.json) {
    const document = {
      model: out,
      features: columns.length,
      classes,
      structure: classifier.model.describe(),
    };
    terminal.out.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const size = `${formatCount(columns.length, "feature")} and ${formatCount(classes.length, "class", "classes")}`;
  terminal.out.write(`model of ${size} saved to ${out}\n`);
}
