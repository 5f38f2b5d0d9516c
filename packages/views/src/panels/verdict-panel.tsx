import type { Decision } from "vouch/learning";
import { answerRateBounds, keepsTarget } from "vouch/theory";
import {
  type Certificate,
  type ClassFound,
  formatLowerBound,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
  isGrave,
  type TrainedCard,
  type Verdict,
  verdictInWords,
  type Warning,
} from "vouch/train";
import { givesGuarantee } from "./guarantee.js";
import { html, type Markup } from "./markup.js";
import { barList } from "./page.js";

const MARKS = { yes: "✓", doubtful: "!", unclear: "?", no: "✗" } as const;

/**
 * Shows all that a person must know first: whether the model is better than the baseline, what puts that in doubt, what is found
 * of each class, the certificate to quote, when the model abstains, and the other warnings.
 */
export function verdictPanel(
  { verdict, error, heldOut }: Pick<TrainedCard, "verdict" | "error" | "heldOut">,
  quoted: Certificate | undefined,
  abstention?: Decision["abstention"],
): Markup {
  if (!verdict) return unmeasured(error, heldOut !== undefined, quoted);
  const { better, warnings } = verdict;
  const grave = warnings.filter(isGrave);
  const { verdict: words, ranking } = verdictInWords(verdict);
  return panel(
    better === "yes" && grave.length > 0 ? "doubtful" : better,
    words,
    html`${warningList(grave)}${foundBars(verdict)}${ranking !== undefined && html`<p>${ranking}</p>`}
${statement(quoted, verdict.measuredOn === "folds")}${answerStatement(abstention)}${warningList(warnings.filter((one) => !isGrave(one)))}`,
  );
}

function panel(kind: keyof typeof MARKS, sentence: string, body: Markup): Markup {
  return html`<div class="verdict ${kind}">
<p class="headline"><span class="mark" aria-hidden="true">${MARKS[kind]}</span> <span>${sentence}</span></p>
${body}</div>
`;
}

/** Says that nothing is known about new rows, or that rows were held out but none was left. */
function unmeasured(
  { train }: TrainedCard["error"],
  tested: boolean,
  quoted: Certificate | undefined,
): Markup {
  const advice = Number.isFinite(train)
    ? `On the training rows it is ${formatPercent(train)}, which says little about new rows.`
    : "";
  return panel(
    "unclear",
    "The error was not measured on new rows.",
    html`<p>${advice}${!tested && " Hold rows out, test the model on other rows or cross-validate to measure it."}</p>
${statement(quoted, false)}`,
  );
}

function statement(quoted: Certificate | undefined, folds: boolean): Markup {
  const none = folds
    ? "No certificate bounds the error on new data: errors in folds are an estimate."
    : "No certificate bounds the error of this model on new data.";
  const proven = quoted !== undefined && givesGuarantee(quoted);
  return html`<p class="statement ${proven && "proven"}">${quoted?.statement ?? none}</p>
`;
}

/** Says in one sentence what the answers of a model that abstains keep; the rest of the page is about answers to all rows. */
function answerStatement(rule: Decision["abstention"]): Markup | false {
  if (!rule) return false;
  const { asked, target, confidence, counts, threshold } = rule;
  const { lower } = answerRateBounds(counts, confidence, rule);
  const missed = keepsTarget(rule) ? "" : ` (${formatRoundPercent(asked)} was asked for)`;
  const error = `at most ${formatUpperBound(target)} of its answers are wrong${missed}`;
  const level = formatRoundPercent(confidence);
  if (threshold === null)
    return html`<p class="abstains">It answers every row: with ${level} confidence, ${error}.</p>`;
  return html`<p class="abstains"><b>It abstains when unsure:</b> ${error}, and it answers at least ${formatLowerBound(lower)} of new cases, with ${level} confidence each. The other numbers here count every row.</p>
`;
}

function warningList(warnings: readonly Warning[]): Markup | false {
  if (warnings.length === 0) return false;
  return html`<ul class="warnings">
${warnings.map(
  (warning) =>
    html`<li class="${isGrave(warning) && "grave"}"><span aria-hidden="true">!</span> <span><span class="unseen">Warning: </span>${warning.message}</span></li>
`,
)}</ul>
`;
}

/** More classes than this do not fit the first screen. */
const MOST_CLASSES = 10;
/** If there are more, this many of the worst and of the best are shown. */
const AT_EACH_END = 4;
/** More bars than this are in two columns. */
const IN_ONE_COLUMN = 4;

/** Draws which fraction of the rows of each class is found; of many classes, the worst and the best. */
function foundBars({ classes = [], measuredOn }: Verdict): Markup | false {
  if (classes.length === 0) return false;
  const title = `${measuredOn === "new rows" ? "New" : "Held-out"} rows of each class that it finds`;
  if (classes.length <= MOST_CLASSES) return titledBars(title, classes);
  const ascending = [...classes].sort((a, b) => a.found / a.rows - b.found / b.rows);
  const shown = [...ascending.slice(0, AT_EACH_END), ...ascending.slice(-AT_EACH_END)];
  const which = `the ${AT_EACH_END} worst and the ${AT_EACH_END} best of ${formatNumber(classes.length)} classes`;
  return titledBars(`${title}: ${which}`, shown);
}

function titledBars(title: string, classes: readonly ClassFound[]): Markup {
  const double = classes.length > IN_ONE_COLUMN;
  const bars = barList(title, classes.map(foundBar), double ? "double" : "single", 1);
  return html`<p class="label">${title}</p>
<div style="--rows:${Math.ceil(classes.length / 2)}">${bars}</div>
`;
}

function foundBar({ class: name, found, rows }: ClassFound) {
  const share = found / rows;
  return {
    name,
    shown: `${formatNumber(found)} of ${formatNumber(rows)} · ${formatPercent(share)}`,
    value: share,
  };
}
