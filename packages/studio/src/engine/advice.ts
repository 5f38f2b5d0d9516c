import { formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import type { Card } from "@vouch/core/internal/train/card";
import type { RareClass, RareClassAdvice } from "@vouch/core/internal/train/rare-class";

const NO_NAMES = "set the column names to none on the Data page";
const BY_EXTENSION = "give the file the extension of its format";
const SEPARATED = "choose what separates the columns";

/** What a page says in place of a flag of the command, or of a program of the shell. */
const IN_A_PAGE: readonly (readonly [RegExp, string])[] = [
  [/ another column with --target/g, " another target"],
  [/; if its numbers name classes, pass --categorical .+?(\.?)$/g, "$1"],
  [
    /They are different classes unless you add --merge-classes\./g,
    "They are different classes unless you merge them.",
  ],
  [/ with --target/g, ""],
  [/or set the delimiter with --delimiter/g, `or ${SEPARATED}`],
  [/set their separator with --delimiter/g, SEPARATED],
  [/Pass --format with one of ([^.]+)\./g, "Give the file the extension of its format: $1."],
  [/If (.+), pass --format\./g, `If $1, ${BY_EXTENSION}.`],
  [/Keep a column with --numeric, --categorical or --text\./g, "Choose a kind to keep a column."],
  [/To read them as categories, pass --categorical .+\./g, "Choose their kind to read them as categories."],
  [/If they are free text, pass --text .+\./g, "If they are free text, choose that kind."],
  [/pass --categorical [^;]+;/g, "choose that kind;"],
  [/leave (it|the column) out with --ignore(?: \S+?)?\./gi, "remove $1 from the file."],
  [/Use --decimal-comma or --no-decimal-comma to settle it\./g, "Choose the decimal comma to settle it."],
  [/Use --(?:numeric|categorical) .+? to (?:read|keep) them[^.]*\./g, "Choose its kind to settle it."],
  [
    /pass --date-order day-first or month-first/g,
    "choose on the Data page whether the day or the month comes first",
  ],
  [/(?:add|pass) --no-header/g, NO_NAMES],
  [
    / If these are the names, pass --header-row [^.]+\./g,
    " If these are the names, skip the lines above them.",
  ],
  [/, or use --stratify, which keeps a row of each class if there are two/g, ""],
  [/, or raise the limit \(--memory, or limitMemory in programs\)/g, ""],
  [/Pass --encoding [^.]+\.?/g, "Choose the encoding of the file."],
  [/Choose another encoding with --encoding\./g, "If that is wrong, choose another encoding."],
  [/ with --encoding\./g, "."],
  [/pass --encoding, such as [^.]+\./g, "choose another one."],
  [
    /^--skip cannot be combined with --header-row\./,
    "The lines to skip cannot be combined with the line of the names.",
  ],
  [
    /--header-row 4 reads the names from line 4, as --skip 3 does\./g,
    "Skip 3 lines to read the names from line 4.",
  ],
  [/Check --skip or --header-row:/g, "Check the lines to skip:"],
  [/; --skip 0 reads ([^.]+)\./g, ". Skip 0 lines to read $1."],
  [/; --keep-totals reads ([^.]+)\./g, ". You can keep $1 on the Data page."],
  [/; choose one with --sheet\./g, "; choose one below."],
  [/Choose another sheet with --sheet\./g, "If you need another sheet, choose it on the Data page."],
  [/Leave out --format, or pass --format xlsx\./g, "Give the file the extension .xlsx."],
  [/If it is text, pass --format csv or tsv\./g, "If it is text, give the file the extension .csv or .tsv."],
  [
    /Cross-validation with --folds tests more of them, without --abstain, --sets and --unlabelled, which/g,
    "Cross-validation tests more of them: split at random, without abstention and sets, which",
  ],
  [/hold them out with --(?:group|time)\./g, "hold them out by that column on the Data page."],
  [/Say what an error costs, such as --cost [^.]+\./g, "Say what an error costs."],
  [/Extract it first with [^;]+;/g, "Extract it first;"],
];

/** Rewords advice for people without a command line. */
export function inAPage(hint: string): string {
  return IN_A_PAGE.reduce((text, [flag, words]) => text.replace(flag, words), hint);
}

/** Rewords the advice on a card; the model file keeps its own. */
export function cardInAPage<C extends Pick<Card, "verdict" | "notices">>(card: C): C {
  const { verdict } = card;
  const warnings = verdict?.warnings.map((one) => ({ ...one, message: inAPage(one.message) }));
  return {
    ...card,
    notices: card.notices.map(inAPage),
    ...(verdict && warnings && { verdict: { ...verdict, warnings } }),
  };
}

/** Names the fields of the Train page that help with a rare class. */
export function nameFieldsForRareClass(
  { class: name }: RareClass,
  { cost, abstain }: RareClassAdvice,
): string {
  const goal =
    cost === undefined
      ? "choose the goal “fewest errors, all classes equal”"
      : `choose the goal “best ranking” to rank rows, or “lowest cost of errors” with ${formatNumber(cost)} for a missed ${visibleSpaces(name)}`;
  const target =
    abstain === undefined ? "" : " There, you can also let the model give no answer where it is unsure.";
  return `On the Train page, ${goal}.${target}`;
}
