import { certify as certificatesFor, heldOutTest } from "vouch";
import { loadModel } from "vouch/node";
import { certificateInFull } from "../certificate-lines.js";
import { interruptible } from "../interruption.js";
import { LAYER_TABLE_TITLE, layerTable } from "../layer-table.js";
import { type Layer, layersOf } from "../layers.js";
import { noticePrinter } from "../notices.js";
import type { PrintingFlags, ReadingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import { styled, type Terminal, tableWidth, width, wrap } from "../terminal.js";

/** Flags of `vouch certify`. */
export interface CertifyFlags extends ReadingFlags, PrintingFlags {
  readonly confidence: number;
}

/**
 * `vouch certify MODEL [DATA]`: every certificate that applies, with its terms and premises; of a deep forest also how
 * its margins move from layer to layer.
 */
export async function certify(
  model: string,
  data: string | undefined,
  flags: CertifyFlags,
  terminal: Terminal,
): Promise<void> {
  const display = new ProgressDisplay(terminal.err, flags.quiet === true);
  await interruptible(async (signal) => {
    const classifier = await loadModel(model);
    const { confidence } = flags;
    const layers = layersOf(classifier.model.describe());
    if (data === undefined) return print(certificatesFor(classifier, { confidence }), layers);
    const { target, columns: like } = classifier.encoder.schema;
    const table = await readNewData(data, { flags, target, like, signal, progress: display.report });
    display.clear();
    const notice = noticePrinter(flags, terminal);
    const heldOut = heldOutTest(classifier, table, notice);
    const certificates = certificatesFor(classifier, { confidence, heldOut });
    // Certificates are sorted by what they are worth: that the rows prove nothing would come last.
    const refused = certificates.find(({ name, holds }) => name.startsWith("held-out") && !holds);
    if (refused?.reason) notice(`${table.name} is no proof. ${refused.reason}`);
    return print(certificates, layers);
  });

  function print(certificates: ReturnType<typeof certificatesFor>, layers: readonly Layer[]): void {
    const { out } = terminal;
    if (flags.json) {
      const document = { model, data, certificates, ...(layers.length > 0 && { layers }) };
      out.write(`${JSON.stringify(document, null, 2)}\n`);
      return;
    }
    if (certificates.length > 0)
      for (const each of certificates) out.write(`${certificateInFull(each, out)}\n`);
    else {
      const advice = `No certificate: the model was trained on all of its rows. Give labelled rows that took no part in training: vouch certify ${model} DATA`;
      out.write(`${wrap(advice, width(out))}\n`);
    }
    if (layers.length > 0)
      out.write(`${styled(out, "bold", LAYER_TABLE_TITLE)}\n${layerTable(layers, tableWidth(out))}\n`);
  }
}
