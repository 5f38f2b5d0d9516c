import type { Card } from "@vouch/core/internal/train/card";
import {
  type AskRow,
  ConfusionTable,
  LazyRender,
  ModelView,
  Section,
  typicalRow,
  VerdictPanel,
  WhatIf,
} from "@vouch/views";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { nameFieldsForRareClass } from "../engine/advice.js";
import type { ModelResult } from "../engine/protocol.js";

export { ModelList } from "./model-list.js";

interface ModelPageProps {
  readonly result: ModelResult;
  readonly ask: AskRow;
  /** Actions for the model, below the verdict. */
  readonly children: ComponentChildren;
}

/** Shows a model with all facts of its training, or with the content of its file. */
export function ModelPage({ result, ask, children }: ModelPageProps) {
  if (!result.facts) {
    return (
      <OpenedModel result={result} ask={ask}>
        {children}
      </OpenedModel>
    );
  }
  return (
    <LazyRender>
      <ModelView
        facts={result.facts}
        ask={ask}
        afterVerdict={children}
        describeAdvice={nameFieldsForRareClass}
      />
    </LazyRender>
  );
}

/** Shows an opened model file: the verdict and confusion matrix from its card, and the form. */
function OpenedModel({ result: { card, quoted, abstention, fields }, ask, children }: ModelPageProps) {
  const [row, setRow] = useState(() => typicalRow(fields));
  const confusion = card.heldOut?.confusion;
  const measured = measuredCard(card);
  return (
    <>
      {measured && (
        <VerdictPanel
          card={measured}
          quoted={quoted}
          abstention={abstention}
          describeAdvice={nameFieldsForRareClass}
        />
      )}
      {children}
      {confusion && (
        <Section heading="Which classes does it confuse?">
          <ConfusionTable confusion={confusion} />
        </Section>
      )}
      <Section heading="What if?">
        <WhatIf fields={fields} ask={ask} row={row} onRow={setRow} />
      </Section>
    </>
  );
}

/** Returns the card of a model that vouch trained; other models have no training error. */
function measuredCard({ verdict, heldOut, error }: Card) {
  if (error.train === undefined) return undefined;
  return { verdict, heldOut, error: { ...error, train: error.train } };
}
