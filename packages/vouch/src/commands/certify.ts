import type { DataShift } from "@vouch/core/internal/checks/data-shift";
import type { LayerSection } from "@vouch/core/internal/learners/description";
import { costMatrix } from "@vouch/core/internal/metrics/cost-texts";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { describeSimultaneous } from "@vouch/core/internal/theory/certificate-words";
import { certify } from "@vouch/core/internal/train/certify";
import { collectEvidence } from "@vouch/core/internal/train/evaluate-classifier";
import { loadModel } from "@vouch/core/internal/train/file";
import {
  certificateInFull,
  certificatesByMeasure,
  certificateTable,
  missingBounds,
} from "../format/certificates.js";
import { sectionLines } from "../format/description.js";
import { readTestRows, type StrictFlags } from "../input/strict-rows.js";
import type { PrintingFlags, ReadingFlags } from "../options/flags.js";
import { withCommandContext } from "../process/command-context.js";
import {
  noticePrinter,
  printable,
  printJson,
  styled,
  type Terminal,
  tableWidth,
  width,
  wrap,
  writeText,
} from "../process/terminal.js";

/** Flags of `vouch certify`. */
export interface CertifyFlags extends ReadingFlags, PrintingFlags, StrictFlags {
  readonly confidence: number;
  readonly cost?: readonly string[];
  readonly full?: boolean;
}

/** The certificates of a model, and the margins of its layers if there are any. */
interface Certified {
  readonly model: string;
  readonly data: string | undefined;
  readonly certificates: readonly Certificate[];
  readonly layers: readonly LayerSection[];
  /** Differences between the rows of DATA and the training rows. */
  readonly findings?: readonly DataShift[];
}

/** `vouch certify MODEL [DATA]`: prints one bound on each measure, or every certificate with its terms and premises. */
export async function runCertify(
  model: string,
  data: string | undefined,
  flags: CertifyFlags,
  terminal: Terminal,
): Promise<void> {
  await withCommandContext(flags, terminal, async (work) => {
    const classifier = await loadModel(model);
    const { confidence, cost } = flags;
    const costs = cost && { costs: costMatrix(cost, classifier.classes) };
    const notice = noticePrinter(flags, terminal);
    const { sections } = classifier.model.describe();
    const layers = sections.filter((section) => section.kind === "layers");
    if (data === undefined) {
      const certificates = certify(classifier, { confidence, ...costs });
      if (costs) noticeMissingCost(certificates, notice);
      return print({ model, data, certificates, layers }, flags, terminal);
    }
    const table = await readTestRows(classifier, data, flags, work);
    const heldOut = await collectEvidence(classifier, table, {
      onNotice: notice,
      run: { signal: work.stops.abort, executor: work.executor },
    });
    const certificates = certify(classifier, { confidence, heldOut, ...costs });
    if (costs) noticeMissingCost(certificates, notice);
    // Certificates without a guarantee come last, but the user must see that these rows prove nothing.
    const tested = certificates.filter(({ name }) => name.startsWith("held-out"));
    const [refused] = tested.some(({ holds }) => holds) ? [] : tested;
    if (refused?.reason) notice(`${table.name} cannot serve as evidence for this model. ${refused.reason}`);
    const { findings = [] } = heldOut;
    if (findings.length > 0) {
      notice(
        `${table.name} looks unlike the training rows. Bounds from it are about cases like its rows; the premise of bounds from the training rows looks violated.`,
      );
    }
    return print({ model, data, certificates, layers, findings }, flags, terminal);
  });
}

/** Explains why there is no certificate of the cost although the user named costs. */
function noticeMissingCost(certificates: readonly Certificate[], notice: (text: string) => void): void {
  if (certificates.some(({ measure }) => measure === "cost")) return;
  const reason = certificates.some(({ measure }) => measure === "group-error")
    ? "the held-out rows were drawn by groups"
    : "there are no held-out rows";
  notice(`There is no certificate of the cost: ${reason}.`);
}

function print(
  { model, data, certificates, layers, findings }: Certified,
  { json, full }: CertifyFlags,
  terminal: Terminal,
): void {
  const { out } = terminal;
  if (json) {
    printJson(terminal, {
      model,
      data,
      certificates,
      findings,
      ...(layers.length > 0 && { layers: layers[0].layers }),
    });
    return;
  }
  const shown = full ? certificates : certificatesByMeasure(certificates);
  if (full)
    for (const certificate of certificates) writeText(out, `${certificateInFull(certificate, out)}\n`);
  else if (certificates.length > 0) {
    const [{ statement }] = certificates;
    writeText(out, `${wrap(printable(statement), width(out))}\n\n`);
    const table = certificateTable(shown, tableWidth(out));
    if (table !== "") writeText(out, `${table}\n\n`);
    for (const sentence of missingBounds(shown)) writeText(out, `${wrap(sentence, width(out))}\n`);
  }
  const together = describeSimultaneous(shown);
  if (together !== undefined) writeText(out, `${wrap(together, width(out))}\n`);
  if (!full && certificates.length > 0)
    writeText(out, `${wrap("--full shows every certificate with its terms and premises.", width(out))}\n`);
  if (certificates.length === 0) {
    const advice = `No certificate: no rows were held out in training. Give labelled rows that took no part in it: vouch certify ${model} DATA`;
    writeText(out, `${wrap(advice, width(out))}\n`);
  }
  for (const section of layers) {
    writeText(
      out,
      `${styled(out, "bold", "margins after each layer")}\n${sectionLines(section, tableWidth(out))}\n`,
    );
  }
}
