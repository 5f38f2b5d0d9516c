import { isGrave } from "vouch/presentation";
import { type Certificate, type Json, type Verdict, verdictInWords, type Warning } from "vouch/train";
import { printable, proseWidth, styled, wrap } from "./terminal.js";

const MARKS = {
  yes: { mark: "✓", style: ["bold", "green"] },
  doubtful: { mark: "!", style: ["bold", "yellow"] },
  unclear: { mark: "?", style: ["bold", "yellow"] },
  no: { mark: "✗", style: ["bold", "red"] },
} as const;

/** Writes the verdict: better or not, what is found of each class, the certificate to quote, and the warnings. */
export function verdictLines(
  verdict: Verdict,
  quoted: Certificate | undefined,
  stream: NodeJS.WriteStream,
): string {
  const columns = proseWidth(stream);
  const { better, warnings } = verdict;
  const grave = warnings.filter(isGrave);
  const { mark, style } = MARKS[better === "yes" && grave.length > 0 ? "doubtful" : better];
  const warning = (given: Warning) =>
    styled(stream, "yellow", wrap(`! ${printable(withFlag(given))}`, columns, "", "  "));
  const { verdict: first, found, ranking } = verdictInWords(verdict);
  const known = warnings.some(({ message }) => message === quoted?.reason);
  const sentences = [found, ranking, known ? "No certificate, for this reason." : quoted?.statement];
  return [
    styled(stream, [...style], wrap(`${mark} ${printable(first)}`, columns, "", "  ")),
    ...grave.map(warning),
    ...sentences.flatMap((sentence) => (sentence ? [wrap(printable(sentence), columns, "  ")] : [])),
    ...warnings.filter((one) => !isGrave(one)).map(warning),
    "",
  ].join("\n");
}

/** Names the flag that does what a warning advises: reports and pages show the same warning without it. */
function withFlag({ code, message }: Warning): string {
  return code === "leaking-column"
    ? message.replace(/leave it out\.$/, "leave it out with --ignore.")
    : message;
}

/** Makes the document of a verdict for `--json`; the baseline is beside it. */
export function verdictAsJson(judged: Verdict): { verdict: Json; baseline: Json } {
  const { better, baseline, error, gain, p, measuredOn, logLoss, auc, classes, warnings, objective } = judged;
  return {
    verdict: {
      better,
      gain,
      p,
      error,
      ...(objective && { objective: { ...objective } }),
      measuredOn,
      sentence: verdictInWords(judged).verdict,
      warnings: warnings.map((warning) => ({ ...warning })),
      ...(classes && { classes: classes.map((one) => ({ ...one })) }),
      ...(logLoss && { logLoss: { ...logLoss } }),
      ...(auc && { auc: { ...auc } }),
    },
    baseline: { ...baseline },
  };
}
