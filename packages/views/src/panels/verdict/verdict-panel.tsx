import {
  formatCount,
  formatLowerBound,
  formatNumber,
  formatPercent,
  formatRoundPercent,
  formatUpperBound,
} from "@vouch/core/internal/runtime/text/number-format";
import type { Certificate } from "@vouch/core/internal/theory/certificate";
import { answerRateBounds } from "@vouch/core/internal/theory/conformal/abstention";
import { type AbstentionRule, keepsTarget } from "@vouch/core/internal/theory/conformal/abstention-rule";
import type { Card } from "@vouch/core/internal/train/card";
import {
  adviseOnRareClass,
  findRareClass,
  type RareClass,
  type RareClassAdvice,
} from "@vouch/core/internal/train/rare-class";
import { describeVerdict, type Verdict } from "@vouch/core/internal/train/verdict";
import type { ClassFound, Warning } from "@vouch/core/internal/train/warnings";
import { isGrave } from "@vouch/core/internal/train/warnings";
import type { ComponentChildren } from "preact";
import { BarList } from "../../charts/bars.js";
import { givesGuarantee } from "../../facts/evaluation/guarantee.js";
import { NoticeList } from "../../page/sections.js";
import { Explained } from "../../text/explained.js";
import { Sentences } from "../../text/name.js";
import { Term } from "../../text/term.js";
import { classNames, unbroken } from "../../text/text.js";
import { TrustPanel } from "./trust-panel.js";

const MARKS = { yes: "✓", doubtful: "!", unclear: "?", no: "✗" } as const;

interface VerdictPanelProps {
  readonly card: Pick<Card, "verdict" | "error" | "heldOut">;
  /** The certificate to quote. */
  readonly quoted?: Certificate | undefined;
  /** Present if the model abstains. */
  readonly abstention?: AbstentionRule | undefined;
  /** Decisions of the reader that may change the accuracy. */
  readonly reading?: readonly string[] | undefined;
  readonly describeAdvice?: DescribeAdvice | undefined;
}

/** Writes what helps with a rare class in the words of a page. */
export type DescribeAdvice = (rare: RareClass, advice: RareClassAdvice) => string;

/**
 * Shows what a person must know first: whether the model beats the baseline, what puts that in doubt, what it finds of
 * each class, the certificate to quote, when the model abstains, and other warnings.
 */
export function VerdictPanel({ card, quoted, abstention, reading = [], describeAdvice }: VerdictPanelProps) {
  const { verdict, error, heldOut } = card;
  if (!verdict) {
    return (
      <Unmeasured error={error} tested={heldOut !== undefined} quoted={quoted}>
        <ReadingList notices={reading} />
      </Unmeasured>
    );
  }
  const { better, warnings } = verdict;
  const grave = warnings.filter(isGrave);
  const isDoubtful = better === "yes" && grave.length > 0;
  const { verdict: words, ranking, rare, advice } = describeVerdict(verdict);
  const found = findRareClass(verdict);
  const ownAdvice = found && describeAdvice?.(found, adviseOnRareClass(found, verdict));
  return (
    <Framed
      kind={isDoubtful ? "doubtful" : better}
      headline={words}
      trust={<TrustPanel mark={isDoubtful ? "doubtful" : better} isCertified={isProven(quoted)} />}
    >
      <WarningList warnings={grave} />
      <FoundBars verdict={verdict} />
      {ranking !== undefined && (
        <p>
          <Explained text={unbroken(ranking)} terms={["AUC", "p-value"]} />
        </p>
      )}
      {rare !== undefined && (
        <p>
          {rare} {ownAdvice ?? advice}
        </p>
      )}
      <Statement quoted={quoted} folds={verdict.measuredOn === "folds"} />
      {abstention && <AnswerStatement rule={abstention} />}
      <WarningList warnings={warnings.filter((one) => !isGrave(one))} />
      <ReadingList notices={reading} />
    </Framed>
  );
}

interface FramedProps {
  readonly kind: keyof typeof MARKS;
  readonly headline: string;
  /** Shown below the frame, which must fit the first screen of a phone. */
  readonly trust: ComponentChildren;
  readonly children: ComponentChildren;
}

function Framed({ kind, headline, trust, children }: FramedProps) {
  return (
    <>
      <div class={`verdict ${kind}`}>
        <p class="headline">
          <span class="mark" aria-hidden="true">
            {MARKS[kind]}
          </span>{" "}
          <span>
            <Explained
              text={unbroken(headline).replaceAll(/"([^"]*)"/g, "“$1”")}
              terms={["held-out rows", "p-value", "cross-validation"]}
            />
          </span>
        </p>
        {children}
      </div>
      {trust}
    </>
  );
}

interface UnmeasuredProps {
  readonly error: Card["error"];
  /** Whether rows were held out, but none was left to measure on. */
  readonly tested: boolean;
  readonly quoted: Certificate | undefined;
  readonly children: ComponentChildren;
}

function Unmeasured({ error: { train }, tested, quoted, children }: UnmeasuredProps) {
  return (
    <Framed
      kind="unclear"
      headline="The error was not measured on new rows."
      trust={<TrustPanel mark="unmeasured" isCertified={isProven(quoted)} />}
    >
      <p>
        {train !== undefined &&
          Number.isFinite(train) &&
          `On the training rows it is ${formatPercent(train)}, which says little.`}
        {!tested && " Hold rows out, test on other rows or cross-validate to measure it."}
      </p>
      <Statement quoted={quoted} folds={false} />
      {children}
    </Framed>
  );
}

function Statement({ quoted, folds }: { readonly quoted: Certificate | undefined; readonly folds: boolean }) {
  const none = folds
    ? "No certificate: errors in folds are an estimate."
    : "No certificate bounds the error on new data.";
  return (
    <p class={classNames("statement", isProven(quoted) && "proven")}>
      <Explained text={unbroken(quoted?.statement ?? none)} terms={["confidence"]} />
    </p>
  );
}

function isProven(quoted: Certificate | undefined): boolean {
  return quoted !== undefined && givesGuarantee(quoted);
}

/** States the guarantee on the answers of an abstaining model; the rest of the page is about answers to all rows. */
function AnswerStatement({ rule }: { readonly rule: AbstentionRule }) {
  const { asked, target, confidence, counts, threshold } = rule;
  const { lower } = answerRateBounds(counts, confidence, rule);
  const missed = keepsTarget(rule) ? "" : ` (${formatRoundPercent(asked)} was asked for)`;
  const error = `at most ${formatUpperBound(target)} of its answers are wrong${missed}`;
  const level = formatRoundPercent(confidence);
  if (threshold === null) {
    return (
      <p class="abstains">
        It answers every row: with {level} confidence, {error}.
      </p>
    );
  }
  return (
    <p class="abstains">
      <b>
        It <Term of="abstention">abstains</Term> when unsure:
      </b>{" "}
      {error}, and it answers at least {formatLowerBound(lower)} of new cases, with {level} confidence each.
      The other numbers count every row.
    </p>
  );
}

function WarningList({ warnings }: { readonly warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings">
      {warnings.map((warning) => (
        <li key={warning.message} class={classNames(isGrave(warning) && "grave")}>
          <span aria-hidden="true">!</span>{" "}
          <span>
            <span class="unseen">Warning: </span>
            <Sentences text={warning.message} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Number of reading notes that show at first; the rest are folded. */
const MOST_READING = 3;

/** Lists the reader's decisions. */
function ReadingList({ notices }: { readonly notices: readonly string[] }) {
  if (notices.length === 0) return null;
  const others = notices.slice(MOST_READING);
  return (
    <div class="reading">
      <p class="label">How the data were read</p>
      <NoticeList notices={notices.slice(0, MOST_READING)} />
      {others.length > 0 && (
        <details>
          <summary>{formatCount(others.length, "more note")}</summary>
          <NoticeList notices={others} />
        </details>
      )}
    </div>
  );
}

/** Maximum number of classes that fit the first screen. */
const MOST_CLASSES = 10;
/** With more classes, this many of the worst and of the best are shown. */
const AT_EACH_END = 4;
/** Number of bars that fit in one column. */
const IN_ONE_COLUMN = 4;

/** Draws the fraction of rows found in each class; with many classes, only the worst and the best. */
function FoundBars({ verdict: { classes = [], measuredOn } }: { readonly verdict: Verdict }) {
  if (classes.length === 0) return null;
  const isMany = classes.length > MOST_CLASSES;
  const which = isMany
    ? `: the ${AT_EACH_END} worst and the ${AT_EACH_END} best of ${formatNumber(classes.length)} classes`
    : "";
  const title = `${measuredOn === "new rows" ? "New" : "Held-out"} rows of each class that it finds${which}`;
  const shown = isMany ? bothEnds(classes) : classes;
  return (
    <>
      <p class="label">{title}</p>
      <div style={`--rows:${Math.ceil(shown.length / 2)}`}>
        <BarList
          label={title}
          bars={shown.map(foundBar)}
          layout={shown.length > IN_ONE_COLUMN ? "double" : "single"}
          end={1}
        />
      </div>
    </>
  );
}

function bothEnds(classes: readonly ClassFound[]): ClassFound[] {
  const ascending = [...classes].sort((a, b) => a.found / a.rows - b.found / b.rows);
  return [...ascending.slice(0, AT_EACH_END), ...ascending.slice(-AT_EACH_END)];
}

function foundBar({ class: name, found, rows }: ClassFound) {
  const share = found / rows;
  return {
    name,
    shown: `${formatNumber(found)} of ${formatNumber(rows)} · ${formatPercent(share)}`,
    value: share,
  };
}
