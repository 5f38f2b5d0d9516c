import type { Json } from "@vouch/core/internal/runtime/codec/state";
import { formatRoundPercent } from "@vouch/core/internal/runtime/text/number-format";
import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { adviseOnRareClass, findRareClass } from "@vouch/core/internal/train/rare-class";
import { describeVerdict, type Verdict } from "@vouch/core/internal/train/verdict";
import type { Warning } from "@vouch/core/internal/train/warnings";
import { isGrave } from "@vouch/core/internal/train/warnings";
import { printable, proseWidth, styled, wrap } from "../process/terminal.js";

const MARKS = {
  yes: { mark: "✓", style: ["bold", "green"] },
  doubtful: { mark: "!", style: ["bold", "yellow"] },
  unclear: { mark: "?", style: ["bold", "yellow"] },
  no: { mark: "✗", style: ["bold", "red"] },
} as const;

/**
 * Formats the verdict: better or not, what is found of each class, advice on rare classes, the certificate to quote,
 * and the warnings.
 */
export function verdictLines(
  verdict: Verdict,
  quoted: Certificate | undefined,
  stream: NodeJS.WriteStream,
  advice?: string,
): string {
  const columns = proseWidth(stream);
  const { better, warnings } = verdict;
  const grave = warnings.filter(isGrave);
  const { mark, style } = MARKS[better === "yes" && grave.length > 0 ? "doubtful" : better];
  const warning = (given: Warning) =>
    styled(stream, "yellow", wrap(`! ${printable(withFlag(given))}`, columns, "", "  "));
  const { verdict: first, found, ranking, rare } = describeVerdict(verdict);
  const known = warnings.some(({ message }) => message === quoted?.reason);
  const sentences = [
    found,
    ranking,
    withAdvice(rare, advice),
    known ? "No certificate, for this reason." : quoted?.statement,
  ];
  return [
    styled(stream, [...style], wrap(`${mark} ${printable(first)}`, columns, "", "  ")),
    ...grave.map(warning),
    ...sentences.flatMap((sentence) => (sentence ? [wrap(printable(sentence), columns, "  ")] : [])),
    ...warnings.filter((one) => !isGrave(one)).map(warning),
    "",
  ].join("\n");
}

function withAdvice(rare: string | undefined, advice: string | undefined): string | undefined {
  return rare === undefined || advice === undefined ? rare : `${rare} ${advice}`;
}

/** Formats the flags that help with a rare class in the next training; undefined if no class is rare. */
export function formatRareClassAdvice(verdict: Verdict): string | undefined {
  const rare = findRareClass(verdict);
  if (!rare) return undefined;
  const { metric, cost, abstain } = adviseOnRareClass(rare, verdict);
  const purpose = metric === "auc" ? "rank rows" : "count every class alike";
  return `${[
    `To ${purpose}, train with --metric ${metric}`,
    ...(cost === undefined
      ? []
      : [`to weigh missed rows, with --cost ${shellQuoted(`${rare.class}:${rare.other}=${cost}`)}`]),
    ...(abstain === undefined
      ? []
      : [
          `to answer only where at most ${formatRoundPercent(abstain)} are wrong, with --abstain ${formatRoundPercent(abstain)}`,
        ]),
  ].join("; ")}.`;
}

/** Appends the flag that follows a warning's advice; reports and pages show the warning without it. */
function withFlag({ code, message }: Warning): string {
  return code === "leaking-column"
    ? message.replace(/leave it out\.$/, "leave it out with --ignore.")
    : message;
}

/** Builds the JSON of a verdict and its baseline. */
export function verdictAsJson(judged: Verdict): { verdict: Json; baseline: Json } {
  const { better, baseline, error, gain, p, measuredOn, logLoss, auc, classes, rare, warnings, objective } =
    judged;
  return {
    verdict: {
      better,
      gain,
      p,
      error,
      ...(objective && { objective: { ...objective } }),
      measuredOn,
      sentence: describeVerdict(judged).verdict,
      warnings: warnings.map((warning) => ({ ...warning })),
      ...(classes && { classes: classes.map((one) => ({ ...one })) }),
      ...(rare && { rare: { ...rare } }),
      ...(logLoss && { logLoss: { ...logLoss } }),
      ...(auc && { auc: { ...auc } }),
    },
    baseline: { ...baseline },
  };
}
