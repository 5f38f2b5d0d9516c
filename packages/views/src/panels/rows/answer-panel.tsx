import { formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";
import { BarList } from "../../charts/bars.js";
import type { RowAnswer } from "../../facts/rows/row-answer.js";
import { Name } from "../../text/name.js";
import { ReasonBars } from "./reason-bars.js";

/** Maximum number of classes whose probabilities are shown. */
const MOST_CLASSES = 6;

/** Shows the answer for one row: the class, its probabilities, the set and the reasons. */
export function AnswerPanel({ answer }: { readonly answer: RowAnswer }) {
  const { class: name, probabilities, set, reasons } = answer;
  const bars = probabilities.slice(0, MOST_CLASSES).map((one) => ({
    name: one.class,
    shown: formatPercent(one.probability),
    value: one.probability,
  }));
  return (
    <>
      <p class="predicted">{name === "" ? "No answer: the model is unsure." : <Name text={name} />}</p>
      {bars.length > 0 && <BarList label="Probability of each class" bars={bars} end={1} />}
      {set && (
        <p class="note">Prediction set: {set.length === 0 ? "empty" : set.map(visibleSpaces).join(", ")}</p>
      )}
      {reasons && <ReasonBars reasons={reasons} />}
    </>
  );
}
