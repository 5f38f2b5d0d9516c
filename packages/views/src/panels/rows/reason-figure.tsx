import type { RowExample } from "../../facts/rows/row-examples.js";
import { Name } from "../../text/name.js";
import { ReasonBars, reasonScale } from "./reason-bars.js";

const headings: Readonly<Record<RowExample["chosenAs"], string>> = {
  "confident and right": "Most confident of those that are right",
  "confident and wrong": "Most confident of those that are wrong",
  uncertain: "Least certain",
};

type MeasuredOn = "held-out" | "training";

interface ExampleProps {
  readonly example: RowExample;
  readonly on: MeasuredOn;
  /** Contribution of the longest bar of all examples. */
  readonly end: number;
}

function Example({ example, on, end }: ExampleProps) {
  const { chosenAs, row, actual, reasons } = example;
  return (
    <>
      <h3>{headings[chosenAs]}</h3>
      <p>
        Row {row} of the {on} rows: predicted{" "}
        <b>
          <Name text={reasons.of} />
        </b>
        ,{" "}
        {reasons.of === actual ? (
          "which is right."
        ) : (
          <>
            but it is{" "}
            <b>
              <Name text={actual} />
            </b>
            .
          </>
        )}
      </p>
      <ReasonBars reasons={reasons} end={end} />
    </>
  );
}

interface ReasonFigureProps {
  readonly examples: readonly RowExample[];
  readonly on: MeasuredOn;
}

/** Shows which columns speak for and against the predictions of a few rows; renders nothing if there are none. */
export function ReasonFigure({ examples, on }: ReasonFigureProps) {
  if (examples.length === 0) return null;
  const end = reasonScale(examples.map(({ reasons }) => reasons));
  const sampled = examples[0].reasons.reasons.some(({ se }) => se !== undefined);
  return (
    <>
      {examples.map((example) => (
        <Example key={example.chosenAs} example={example} on={on} end={end} />
      ))}
      <p class="note">
        Bars to the right speak for the predicted class, bars to the left against it. They are Shapley values
        and add up from the average to the value of the row
        {sampled && "; they are sampled, so the last digits are uncertain"}. Reasons explain the model, not
        the world.
      </p>
    </>
  );
}
