import { ModelView, WithIslands } from "@vouch/views";
import type { TrainingFacts } from "@vouch/views/facts";
import { formatCount } from "vouch/train";
import { clientScript, learnersIn, type ReportClient } from "./client-script.js";
import { fitsPage, modelBlock } from "./model-block.js";
import { page, pageScript } from "./page.js";

/** A part of a report that its author may not want to pass on. */
export type ReportPart = "rows" | "model";

/** What makes a report alive, and what is left out of it. */
export interface TrainingReportOptions {
  /** The bytes of the model file; one of more than 5 MB, or of a custom learner, is left out. */
  readonly model?: Uint8Array | undefined;
  /** The script in parts; without it the page is static. */
  readonly client?: ReportClient | undefined;
  /**
   * Parts to leave out: the model, or all rows. Without rows there is no model either, because some models, such as those of `svm`,
   * contain training rows.
   */
  readonly without?: readonly ReportPart[] | undefined;
}

/** Writes the page of a training: one HTML file that needs nothing else, for screens, phones and paper. */
export async function trainingReport(
  given: TrainingFacts,
  { model, client, without = [] }: TrainingReportOptions = {},
): Promise<string> {
  const hasRows = !without.includes("rows");
  const hasModel = without.length === 0;
  const facts = hasRows ? given : withoutRows(given);
  const { card } = facts;
  const learners = hasModel && client && model && fitsPage(model) ? learnersIn(model) : [];
  const isWhole =
    client !== undefined &&
    learners.length > 0 &&
    learners.every((name) => Object.hasOwn(client.learners, name));
  const title = `${card.learner} on ${card.data.name}`;
  return page({
    title,
    version: card.vouch,
    body: (
      <main>
        <h1>{title}</h1>
        <Subtitle facts={facts} leftOut={hasModel ? undefined : hasRows ? "model" : "rows and model"} />
        <WithIslands>
          <ModelView facts={facts} />
        </WithIslands>
      </main>
    ),
    data: isWhole && model ? modelBlock(model) : undefined,
    script: client && (await pageScript(clientScript(client, isWhole ? learners : []))),
  });
}

/** Removes every row from facts, and the form, which needs the model; counts, curves and names of categories stay. */
function withoutRows(facts: TrainingFacts): TrainingFacts {
  return { ...facts, examples: [], fields: [], wrong: { ...facts.wrong, rows: [] } };
}

interface SubtitleProps {
  readonly facts: TrainingFacts;
  /** Names what the report should not have. */
  readonly leftOut: string | undefined;
}

function Subtitle({ facts: { data, card }, leftOut }: SubtitleProps) {
  const columns = Object.values(data.columns).reduce((sum, count) => sum + count, 0);
  const parts = [
    formatCount(data.rows, "training row"),
    formatCount(columns, "column"),
    formatCount(data.classes.length, "class", "classes"),
    ...(card.heldOut ? [`${formatCount(card.heldOut.rows, "row")} held out`] : []),
    ...(leftOut === undefined ? [] : [`${leftOut} left out of this page`]),
  ];
  return (
    <p class="subtitle">
      {parts.map((part) => (
        <>
          <span>{part}</span>{" "}
        </>
      ))}
    </p>
  );
}
