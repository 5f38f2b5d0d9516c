import { GuideLink } from "../../page/guide-link.js";
import { Term } from "../../text/term.js";

/** What a verdict says about the model, and whether its error was measured at all. */
type VerdictMark = "yes" | "doubtful" | "unclear" | "no" | "unmeasured";

const BETTER: Readonly<Record<VerdictMark, string>> = {
  yes: "Yes: it makes clearly fewer errors on new rows than the same answer for every row.",
  doubtful:
    "It looks so, but there is a reason to doubt the measurement itself: see the first warning, and train again without its cause.",
  unclear: "Nobody knows yet: with so few test rows, its lead may be luck. Test it on more rows.",
  no: "No: the same answer for every row makes as few errors. Do not use its answers. If its scores rank rows better than chance, use them to sort rows.",
  unmeasured: "Not known: no rows were held out. Test it on rows that took no part in training.",
};

interface TrustPanelProps {
  readonly mark: VerdictMark;
  /** Whether a certificate bounds the error. */
  readonly isCertified: boolean;
}

/** Answers the question that follows every verdict, folded below it; works without scripts and network. */
export function TrustPanel({ mark, isCertified }: TrustPanelProps) {
  return (
    <details class="trust">
      <summary>Can I trust this model?</summary>
      <dl>
        <dt>Is it better than guessing?</dt>
        <dd>{BETTER[mark]}</dd>
        <dt>How often will it be wrong?</dt>
        <dd>
          {isCertified ? (
            <>
              Expect the measured error. Plan with the <Term of="certificate" />, the larger number: chance is
              already in it. Errors may gather in one class, so check how many of each class are found.
            </>
          ) : (
            "Expect the measured error at best: no certificate limits it."
          )}
        </dd>
        <dt>What can go wrong even so?</dt>
        <dd>
          <ul>
            <li>New cases differ from the rows of this file: another year, another place.</li>
            <li>
              A column is a <Term of="leak" />: it is not known yet when you need the answer.
            </li>
            <li>The classes in the file are wrong: the error is measured against them.</li>
            <li>
              You trained many models and kept the luckiest: test the last one on rows never used before.
            </li>
            <li>Acting on the answers changes the cases.</li>
          </ul>
        </dd>
      </dl>
      <p class="note">
        The page <GuideLink page="trust" /> of the documentation explains every line and every warning.
      </p>
    </details>
  );
}
