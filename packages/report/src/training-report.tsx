import { formatBytes, formatCount } from "@vouch/core/internal/runtime/text/number-format";
import { shellQuoted } from "@vouch/core/internal/runtime/text/shell";
import { type FormAbsence, ModelView, WithIslands } from "@vouch/views";
import type { TrainingFacts } from "@vouch/views/facts";
import { clientScript, learnersIn, type ReportClient } from "./client-script.js";
import { fitsPage, modelBlock, packModel } from "./model-block.js";
import { page, pageScript } from "./page.js";

/** A part of a report that its author may want to leave out. */
export type ReportPart = "rows" | "model";

/** Model and script of a live report, and the parts to leave out. */
export interface TrainingReportOptions {
  /**
   * Bytes of the model file. A model that is too large for a page, or of a custom learner, is left out, and the page
   * says why.
   */
  readonly model?: Uint8Array | undefined;
  /** Path of the model file, for the command in a page without a model; default `model.safetensors`. */
  readonly modelFile?: string | undefined;
  /** Script modules; without them the page is static. */
  readonly client?: ReportClient | undefined;
  /**
   * Parts to leave out: the model, or all rows. Without rows there is no model either, because some models, such as
   * `svm`, contain training rows.
   */
  readonly without?: readonly ReportPart[] | undefined;
}

/** Renders the report of a training: one self-contained HTML file for screens, phones and paper. */
export async function trainingReport(
  given: TrainingFacts,
  { model, modelFile = "model.safetensors", client, without = [] }: TrainingReportOptions = {},
): Promise<string> {
  const hasRows = !without.includes("rows");
  const hasModel = without.length === 0;
  const facts = hasRows ? given : withoutRows(given);
  const { card } = facts;
  const embedded = hasModel && client && model ? await embedModel(model, client, modelFile) : undefined;
  const title = `${facts.title} on ${card.data.name}`;
  return page({
    title,
    version: card.vouch,
    body: (
      <main>
        <h1>{title}</h1>
        <Subtitle facts={facts} leftOut={hasModel ? undefined : hasRows ? "model" : "rows and model"} />
        <WithIslands>
          <ModelView facts={facts} noForm={embedded?.absence} />
        </WithIslands>
      </main>
    ),
    data: embedded?.block,
    script: client && (await pageScript(clientScript(client, embedded?.learners ?? []))),
  });
}

/** The embedded model and the learners whose code it needs, or why there is none. */
interface EmbeddedModel {
  readonly block?: string;
  readonly learners?: readonly string[];
  readonly absence?: FormAbsence;
}

async function embedModel(
  model: Uint8Array,
  client: ReportClient,
  modelFile: string,
): Promise<EmbeddedModel> {
  const learners = learnersIn(model);
  const stranger = learners.find((name) => !Object.hasOwn(client.learners, name));
  if (stranger !== undefined) {
    const reason = `This page cannot answer: it does not contain the code of the custom learner “${stranger}”.`;
    return { absence: { reason } };
  }
  const packed = await packModel(model);
  if (fitsPage(packed)) return { block: modelBlock(packed), learners };
  const reason = `The model is too large for this page (${formatBytes(model.length)}). To ask about rows, write them into a file and run:`;
  return { absence: { reason, command: `vouch predict ${shellQuoted(modelFile)} rows.csv --reasons 5` } };
}

/** Removes rows and the form, which needs the model, from facts; counts, curves and category names stay. */
function withoutRows(facts: TrainingFacts): TrainingFacts {
  return { ...facts, examples: [], fields: [], wrong: { ...facts.wrong, rows: [] } };
}

interface SubtitleProps {
  readonly facts: TrainingFacts;
  /** Describes the parts left out. */
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
