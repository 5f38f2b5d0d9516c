import { formatCount, formatDuration, formatNumber } from "@vouch/core/internal/runtime/text/number-format";
import { LeaderBoard } from "@vouch/views/internal/panels/race/leader-board";
import { useEffect, useState } from "preact/hooks";
import type { TrainingProgress, TrainingStage } from "../engine/training-progress.js";
import { LEARNER_FAMILIES } from "../options/learner-families.js";
import { OptionForm } from "../options/option-form.js";
import { withSetting } from "../options/settings.js";
import { FaultBox } from "../page/fault-box.js";
import type { RunningTraining, Studio } from "../page/studio.js";
import { AnswerFields, CostFields } from "./wanted-fields.js";

/** The second step: race all learners, or train one. */
export function TrainStep({ studio }: { readonly studio: Studio }) {
  const overview = studio.overview.value;
  const training = studio.training.value;
  useEffect(() => void studio.listLearners(), [studio]);
  if (!overview) return <p>Choose data first.</p>;
  return (
    <section aria-labelledby="train-title">
      <h2 id="train-title">Train a model that predicts {overview.target}</h2>
      <p class="lead">
        From {formatCount(overview.rows, "row")} of {overview.name}
      </p>
      {training ? <Running studio={studio} training={training} /> : <Plan studio={studio} />}
      <Board studio={studio} />
    </section>
  );
}

function Board({ studio }: { readonly studio: Studio }) {
  const { leaders, chosen } = studio.board.value;
  const titles = Object.fromEntries(studio.learners.value.map((each) => [each.name, each]));
  const isCancelled = studio.training.value === undefined;
  return <LeaderBoard leaders={leaders} titles={titles} chosen={chosen} isCancelled={isCancelled} />;
}

const BUDGETS = [10, 30, 60, 300, 900] as const;

const METRICS = [
  { name: "error", title: "fewest errors" },
  { name: "balanced-error", title: "fewest errors, all classes equal" },
  { name: "cost", title: "lowest cost of errors" },
  { name: "log-loss", title: "best probabilities" },
  { name: "auc", title: "best ranking (two classes)" },
  { name: "f1", title: "best F1 (two classes)" },
] as const;

function Plan({ studio }: { readonly studio: Studio }) {
  const { learner } = studio.plan.value;
  const form = studio.form.value;
  const fault = studio.fault.value;
  const isFaulty = learner !== undefined && form !== undefined && Object.keys(form.faults).length > 0;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void studio.train();
      }}
    >
      <PlanFields studio={studio} />
      {learner && form?.learner === learner.name && (
        <OptionForm
          form={form}
          settings={learner.settings}
          change={(name, value) =>
            studio.planned({ learner: { ...learner, settings: withSetting(learner.settings, name, value) } })
          }
          reset={() => studio.planned({ learner: { ...learner, settings: {} } })}
          first={6}
        />
      )}
      <FaultBox fault={fault?.place === "training" ? fault : undefined} />
      <p class="actions">
        <button type="submit" class="main" disabled={isFaulty || studio.waitingFor.value !== undefined}>
          {learner ? `Train ${learnerTitle(studio, learner.name)}` : "Start the race"}
        </button>
      </p>
    </form>
  );
}

/** Lets the user choose a race or one learner, the time of a race, and the metric. */
function PlanFields({ studio }: { readonly studio: Studio }) {
  const { learner, seconds, metric } = studio.plan.value;
  const listed = studio.learners.value;
  const choose = (name: string) =>
    studio.planned({ learner: name === "" ? undefined : { name, settings: {} } });
  return (
    <>
      <div class="choices">
        <label>
          Learner
          <select value={learner?.name ?? ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">Race: find the best one</option>
            {LEARNER_FAMILIES.map((family) => (
              <optgroup key={family} label={family}>
                {listed
                  .filter((each) => each.hasForm && each.family === family)
                  .map(({ name, title }) => (
                    <option key={name} value={name}>
                      {title}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        {!learner && (
          <label>
            Time limit
            <select
              value={String(seconds)}
              onChange={({ currentTarget }) => studio.planned({ seconds: Number(currentTarget.value) })}
            >
              {BUDGETS.map((each) => (
                <option key={each} value={String(each)}>
                  {formatDuration(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Goal
          <select
            value={metric}
            onChange={({ currentTarget }) => studio.planned({ metric: currentTarget.value })}
          >
            {METRICS.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="hint">
        {learner
          ? studio.form.value?.summary
          : "Learners race on this computer: quick ones first, and the weakest drop out. You can stop at any time and keep the best."}
      </p>
      {metric === "cost" && <CostFields studio={studio} />}
      <AnswerFields studio={studio} />
    </>
  );
}

const STAGES: Readonly<Record<TrainingStage, string>> = {
  racing: "Racing",
  training: "Training",
  explaining: "Explaining the model",
};

function Running({ studio, training }: { readonly studio: Studio; readonly training: RunningTraining }) {
  const { progress, isRace, isFinishing } = training;
  const elapsed = useElapsed();
  const { learner } = studio.plan.value;
  const stage = progress?.stage ?? (isRace ? "racing" : "training");
  const isRacing = stage === "racing";
  const name = stage === "training" ? (learner ? learnerTitle(studio, learner.name) : "the winner") : "";
  const time = isRacing && progress?.seconds;
  return (
    <div class="running">
      <p class="now">
        <strong>
          {STAGES[stage]} {name}
        </strong>
        <b>{time ? `${Math.floor(time.done)} of ${formatNumber(time.total)} s` : shortTime(elapsed)}</b>
      </p>
      <progress aria-label="Training" max="1" {...(progress && { value: progress.share })} />
      <p class="hint">{isFinishing && isRacing ? "Ending the race" : describeWork(progress)}</p>
      <p class="actions">
        {isRacing && isRace && (
          <button
            type="button"
            class="main"
            disabled={isFinishing}
            onClick={unlessDouble(() => studio.finish())}
          >
            Stop and keep the best
          </button>
        )}
        <button type="button" onClick={unlessDouble(() => studio.cancel())}>
          Cancel
        </button>
      </p>
    </div>
  );
}

/** Descriptions of the explaining steps. */
const EXPLAINING: Readonly<Record<string, string>> = {
  "permutation importance": "Which columns matter",
  effects: "How the answer depends on each column",
  reasons: "Reasons for single rows",
};

/** Describes what is being done. The note of a race begins with the learner that is tried. */
function describeWork(progress: TrainingProgress | undefined): string {
  if (!progress?.note) return "Starting";
  const { stage, note } = progress;
  if (stage === "racing") return `Trying: ${note.split(";")[0]}`;
  return EXPLAINING[note] ?? note;
}

function shortTime(seconds: number): string {
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds);
}

function learnerTitle(studio: Studio, learner: string): string {
  return studio.learners.value.find(({ name }) => name === learner)?.title ?? learner;
}

/** Counts the seconds since the training began. */
function useElapsed(): number {
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const start = performance.now();
    const timer = setInterval(() => setElapsed(Math.round((performance.now() - start) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return elapsed;
}

/** Ignores the second click of a double click, which must not stop what the first one started. */
function unlessDouble(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) act();
  };
}
