import { certify as certificatesFor, heldOutTest } from "vouch";
import { loadModel } from "vouch/node";
import { certificateInFull } from "../certificate-lines.js";
import { interruptible } from "../interruption.js";
import { noticePrinter } from "../notices.js";
import type { PrintingFlags, ReadingFlags } from "../program.js";
import { ProgressDisplay } from "../progress-display.js";
import { readNewData } from "../reading.js";
import { type Terminal, width, wrap } from "../terminal.js";

/** Flags of `vouch certify`. */
export interface CertifyFlags extends ReadingFlags, PrintingFlags {
  readonly confidence: number;
}

/** `vouch certify MODEL [DATA]`: every certificate that applies, with its terms and premises. */
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
    if (data === undefined) return print(certificatesFor(classifier, { confidence }));
    const { target, columns: like } = classifier.encoder.schema;
    const table = await readNewData(data, { flags, target, like, signal, progress: display.report });
    display.clear();
    const heldOut = heldOutTest(classifier, table, noticePrinter(flags, terminal));
    return print(certificatesFor(classifier, { confidence, heldOut }));
  });

  function print(certificates: ReturnType<typeof certificatesFor>): void {
    const { out } = terminal;
    if (flags.json) out.write(`${JSON.stringify({ model, data, certificates }, null, 2)}\n`);
    else if (certificates.length > 0)
      for (const each of certificates) out.write(`${certificateInFull(each, out)}\n`);
    else {
      const advice = `No certificate: the model was trained on all of its rows. Give labelled rows that took no part in training: vouch certify ${model} DATA`;
      out.write(`${wrap(advice, width(out))}\n`);
    }
  }
}
