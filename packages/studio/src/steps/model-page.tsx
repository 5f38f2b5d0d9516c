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
import { rareClassAdvice } from "../engine/advice.js";
import type { ModelResult } from "../engine/protocol.js";

export { ModelList } from "./model-list.js";

interface ModelPageProps {
  readonly result: ModelResult;
  readonly ask: AskRow;
  /** What to do with the model, below the verdict. */
  readonly children: ComponentChildren;
}

/** Shows a model: all that its training knows, or what its file tells. */
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
      <ModelView facts={result.facts} ask={ask} afterVerdict={children} describeAdvice={rareClassAdvice} />
    </LazyRender>
  );
}

/** Shows a model file without its training data: the verdict and the confusion matrix of its card, and the form. */
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
          describeAdvice={rareClassAdvice}
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

/** Returns the card of a model that vouch trained; others have no error on training rows. */
function measuredCard({ verdict, heldOut, error }: Card) {
  if (error.train === undefined) return undefined;
  return { verdict, heldOut, error: { ...error, train: error.train } };
}
