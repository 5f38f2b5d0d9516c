import { settingSummary, settingsOf } from "@vouch/core/internal/learners/settings";
import { metricFacts } from "@vouch/core/internal/metrics/metric-name";
import { formatCount, formatNumber, formatPercent } from "@vouch/core/internal/runtime/text/number-format";
import type { TrainedCard } from "@vouch/core/internal/train/card";
import type { ComponentChildren } from "preact";
import type { TrainingFacts } from "./facts/training-facts.js";
import { Island } from "./page/island.js";
import { LazyPanel } from "./page/lazy-render.js";
import { CommandBlock, Fold, NoticeList, Section } from "./page/sections.js";
import { FactList } from "./page/tables.js";
import { DataSummary } from "./panels/columns/data-summary.js";
import { EffectFigure } from "./panels/columns/effect-figure.js";
import { ImportanceTable, PermutationTable } from "./panels/columns/importance-table.js";
import { AbstentionSection } from "./panels/evaluation/abstention-section.js";
import { DecisionSection } from "./panels/evaluation/decision-section.js";
import { ErrorLine } from "./panels/evaluation/error-line.js";
import { describeCosts, MetricLine } from "./panels/evaluation/metric-line.js";
import { PeriodFigure } from "./panels/evaluation/period-figure.js";
import { ReliabilityFigure } from "./panels/evaluation/reliability-figure.js";
import { RocFigure } from "./panels/evaluation/roc-figure.js";
import { SetSection } from "./panels/evaluation/set-section.js";
import { ThresholdPanel } from "./panels/evaluation/threshold-panel.js";
import { PixelImportance } from "./panels/model/image-figure.js";
import { MarginFigure } from "./panels/model/margin-figure.js";
import { modelSections } from "./panels/model/model-sections.js";
import { CandidateTable } from "./panels/race/candidate-table.js";
import { ReasonFigure } from "./panels/rows/reason-figure.js";
import { type FormAbsence, RowExplorer } from "./panels/rows/row-explorer.js";
import type { AskRow } from "./panels/rows/what-if.js";
import { GuaranteeSection } from "./panels/verdict/guarantee-section.js";
import { type DescribeAdvice, VerdictPanel } from "./panels/verdict/verdict-panel.js";
import type { GlossaryTerm } from "./text/glossary.js";
import { Term } from "./text/term.js";
import { capitalised } from "./text/text.js";

interface ModelViewProps {
  readonly facts: TrainingFacts;
  /** Answers a row; without it, there is no what-if form. */
  readonly ask?: AskRow | undefined;
  /** Shown instead of the form. */
  readonly noForm?: FormAbsence | undefined;
  /** Shown below the verdict, such as the next steps. */
  readonly afterVerdict?: ComponentChildren;
  readonly describeAdvice?: DescribeAdvice;
}

/**
 * Shows a trained model: the essentials first, then what a person can try, then the rest, folded. Sections have
 * second-level headings.
 */
export function ModelView({ facts, ask, noForm, afterVerdict, describeAdvice }: ModelViewProps) {
  return (
    <>
      <Summary facts={facts} describeAdvice={describeAdvice} />
      {afterVerdict}
      <RowsAndThreshold facts={facts} ask={ask} noForm={noForm} />
      <Columns facts={facts} />
      <Measures facts={facts} />
      <Guarantees facts={facts} />
      <ModelStructure facts={facts} />
      <DataAndCommand facts={facts} />
    </>
  );
}

type FactsProps = Pick<ModelViewProps, "facts">;

const ON_TRAINING_ROWS = "Measured on the training rows: the error on new rows is likely larger.";

/** The verdict with baseline, warnings and one certificate. */
function Summary({
  facts: { card, certificates, decision, reading },
  describeAdvice,
}: Pick<ModelViewProps, "facts" | "describeAdvice">) {
  return (
    <VerdictPanel
      card={card}
      quoted={certificates[0]}
      abstention={decision.abstention}
      reading={reading}
      describeAdvice={describeAdvice}
    />
  );
}

/** The confusion matrix, the misclassified rows, the what-if form and the threshold. */
function RowsAndThreshold({ facts, ask, noForm }: ModelViewProps) {
  const { fields, wrong, predictions, evaluation, measuredOn } = facts;
  const { thresholds } = predictions;
  const { confusion } = evaluation;
  const note = measuredOn === "training" ? ON_TRAINING_ROWS : repeatNote(facts.card);
  return (
    <>
      <LazyPanel>
        <Island
          name="rows"
          component={RowExplorer}
          props={{ confusion, fields, wrong, note, noForm }}
          live={{ ask }}
        />
      </LazyPanel>
      {thresholds && (
        <Section heading="Which threshold?">
          <LazyPanel>
            <Island name="threshold" component={ThresholdPanel} props={{ facts: thresholds }} />
          </LazyPanel>
        </Section>
      )}
    </>
  );
}

/** Importance, effects and reasons. */
function Columns({ facts }: FactsProps) {
  const { importance, effects, examples, measuredOn, description } = facts;
  const inTraining = description.sections.filter((section) => section.kind === "importance");
  return (
    <>
      {"reason" in importance && (
        <Section heading="Which columns matter?">
          <p>Not measured: {importance.reason}.</p>
        </Section>
      )}
      {"features" in importance && importance.features.length > 0 && (
        <Section heading="Which columns matter?">
          <LazyPanel>
            <PixelImportance
              features={importance.features.map(({ feature, mean }) => ({ name: feature, share: mean }))}
            />
            <PermutationTable measured={importance} />
          </LazyPanel>
        </Section>
      )}
      {effects && (
        <Fold heading="How do the strongest columns act?">
          <EffectFigure effects={effects} />
        </Fold>
      )}
      {examples.length > 0 && (
        <Fold heading="Why does it decide so for single rows?">
          <ReasonFigure examples={examples} on={measuredOn} />
        </Fold>
      )}
      {inTraining.length > 0 && (
        <Fold heading="Importance in training">
          {inTraining.map((section) => (
            <ImportanceTable key={section.title} section={section} />
          ))}
        </Fold>
      )}
    </>
  );
}

/** Errors and other measures. */
function Measures({ facts }: FactsProps) {
  const { card, certificates, predictions, periods, decision, data } = facts;
  const { objective, verdict, calibration } = card;
  const classes = data.classes.map(({ name }) => name);
  const costs = describeCosts(objective?.costs, classes);
  const { rule } = decision;
  return (
    <>
      {verdict?.objective && (
        <Fold heading={`How good is it by ${metricFacts(verdict.objective.metric).title}?`}>
          <MetricLine verdict={verdict} certificates={certificates} costs={costs} />
        </Fold>
      )}
      <Fold heading="How often is it wrong?">
        <ErrorLine errors={card} certificates={certificates} />
        <MeasureTiles facts={facts} />
      </Fold>
      {periods && (
        <Fold heading="Does the error change over time?">
          <PeriodFigure periods={periods} change={card.heldOut?.change} />
        </Fold>
      )}
      {predictions.ranking && (
        <Fold heading="How well do its scores rank the rows?">
          <RocFigure facts={predictions.ranking} />
        </Fold>
      )}
      {predictions.calibration && (
        <Fold heading="When it says 80%, is it right 80% of the time?">
          <ReliabilityFigure
            facts={predictions.calibration}
            calibration={calibration}
            logLoss={facts.logLoss}
          />
        </Fold>
      )}
      {rule.kind !== "model" && (
        <Fold heading="How does it choose the class?">
          <DecisionSection by={{ rule, objective }} classes={classes} costs={costs} />
        </Fold>
      )}
    </>
  );
}

function MeasureTiles({ facts }: FactsProps) {
  const { evaluation, measuredOn, card } = facts;
  const { accuracy, balancedAccuracy, macroF1, auc, logLoss } = evaluation;
  const tiles: [term: GlossaryTerm, shown: string][] = [
    ["accuracy", formatPercent(accuracy)],
    ["balanced accuracy", formatPercent(balancedAccuracy)],
    ["macro F1", threeDigits(macroF1)],
  ];
  if (auc !== undefined) tiles.push(["AUC", threeDigits(auc)]);
  if (logLoss !== undefined) tiles.push(["log loss", threeDigits(logLoss)]);
  return (
    <>
      <dl class="tiles">
        {tiles.map(([term, shown]) => (
          <div key={term}>
            <dt>
              <Term of={term}>{capitalised(term)}</Term>
            </dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        {measuredOn === "held-out"
          ? ["Measured on the held-out rows.", repeatNote(card)].join(" ")
          : ON_TRAINING_ROWS}
      </p>
    </>
  );
}

/** Warns that measures on all held-out rows are too optimistic if many of them repeat training rows. */
function repeatNote({ heldOut }: TrainedCard): string | undefined {
  const repeats = heldOut?.repeats;
  if (!heldOut || !repeats || repeats.natural || repeats.rows === 0) return undefined;
  return `${formatNumber(repeats.rows)} of these ${formatNumber(heldOut.rows)} rows repeat training rows, so this looks better than it is. The verdict counts new rows only.`;
}

/** Formats three digits; more would suggest precision that the number of rows does not support. */
function threeDigits(value: number): string {
  return formatNumber(Number(value.toPrecision(3)));
}

/** Theory: certificates, abstention, prediction sets and margins. */
function Guarantees({ facts }: FactsProps) {
  const { card, certificates, predictions, margins, decision } = facts;
  return (
    <>
      <Fold heading="What is guaranteed?">
        <GuaranteeSection certificates={certificates} card={card} />
      </Fold>
      {predictions.answers && (
        <Fold heading="When does it not answer?">
          <AbstentionSection facts={predictions.answers} />
        </Fold>
      )}
      {predictions.sets && (
        <Fold heading="How good are its prediction sets?">
          <SetSection facts={predictions.sets} certificates={certificates} />
        </Fold>
      )}
      {card.margins.length > 0 && (
        <Fold heading="How clear are its decisions?">
          <MarginFigure train={card.margins} test={margins} own={decision.rule.kind === "model"} />
        </Fold>
      )}
    </>
  );
}

/** The pictures of the model itself. */
function ModelStructure({ facts }: FactsProps) {
  return (
    <>
      {modelSections(facts.description).map(([heading, body]) => (
        <Fold key={heading} heading={heading}>
          {body}
        </Fold>
      ))}
    </>
  );
}

/** Where the model comes from: candidates, data, notices, and how to train it again. */
function DataAndCommand({ facts }: FactsProps) {
  const { card, data, reading } = facts;
  const notices = card.notices.filter((notice) => !reading.includes(notice));
  return (
    <>
      {card.choice && (
        <Fold heading="How was the learner chosen?">
          <CandidateTable choice={card.choice} metric={card.objective?.metric ?? "error"} />
        </Fold>
      )}
      <Fold heading="What was it trained on?">
        <DataSummary data={data} card={card} />
      </Fold>
      {notices.length > 0 && (
        <Fold heading="What else should you know?">
          <NoticeList notices={notices} />
        </Fold>
      )}
      <Fold heading="How can you reproduce the model?">
        <Again facts={facts} />
      </Fold>
    </>
  );
}

function Again({ facts }: FactsProps): ComponentChildren {
  const { command, card, fingerprint } = facts;
  const settings = Object.entries(settingsOf(card.options)).map(([label, value]) => ({
    label,
    value: settingSummary(value),
  }));
  const again = [
    { label: "learner", value: card.learner },
    { label: "seed", value: String(card.seed) },
    { label: "vouch", value: card.vouch },
    { label: "training rows’ fingerprint", value: fingerprint },
  ];
  return (
    <>
      {command !== undefined && (
        <>
          <p>This command trains the same model from the same data, bit for bit:</p>
          <CommandBlock command={command} />
        </>
      )}
      <FactList facts={again} />
      {settings.length > 0 && (
        <details>
          <summary>All {formatCount(settings.length, "option")} of the learner</summary>
          <FactList facts={settings} />
        </details>
      )}
    </>
  );
}
