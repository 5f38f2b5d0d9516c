import { ModelView, WithIslands } from "@vouch/views";
import type { TrainingFacts } from "@vouch/views/facts";
import { formatCount } from "vouch/train";
import { clientScript, learnersIn, type ReportClient } from "./client-script.js";
import { fitsPage, modelBlock } from "./model-block.js";
import { page, pageScript } from "./page.js";

/** What makes a report alive. */
export interface LiveParts {
  /** The bytes of the model file; one of more than 5 MB, or of a custom learner, is left out. */
  readonly model?: Uint8Array | undefined;
  /** The script in parts; without it the page is static. */
  readonly client?: ReportClient | undefined;
}

/** Writes the page of a training: one HTML file that needs nothing else, for screens, phones and paper. */
export async function trainingReport(
  facts: TrainingFacts,
  { model, client }: LiveParts = {},
): Promise<string> {
  const { card } = facts;
  const learners = client && model && fitsPage(model) ? learnersIn(model) : [];
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
        <Subtitle facts={facts} />
        <WithIslands>
          <ModelView facts={facts} />
        </WithIslands>
      </main>
    ),
    data: isWhole && model ? modelBlock(model) : undefined,
    script: client && (await pageScript(clientScript(client, isWhole ? learners : []))),
  });
}

function Subtitle({ facts: { data, card } }: { readonly facts: TrainingFacts }) {
  const columns = Object.values(data.columns).reduce((sum, count) => sum + count, 0);
  const parts = [
    formatCount(data.rows, "training row"),
    formatCount(columns, "column"),
    formatCount(data.classes.length, "class", "classes"),
    ...(card.heldOut ? [`${formatCount(card.heldOut.rows, "row")} held out`] : []),
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
