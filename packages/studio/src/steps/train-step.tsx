import { LeaderBoard } from "@vouch/views/boards";
import { useEffect } from "preact/hooks";
import { formatDuration } from "vouch/predict";
import type { TrainPlan } from "../engine/protocol.js";
import type { RunningTraining, Studio } from "../page/studio.js";
import { LearnerFields } from "./learner-fields.js";

/** The second step: race all learners, or train one. */
export function TrainStep({ studio }: { readonly studio: Studio }) {
  const overview = studio.overview.value;
  const training = studio.training.value;
  useEffect(() => void studio.describeLearners(), [studio]);
  if (!overview) return <p>Choose data first.</p>;
  return (
    <section aria-labelledby="train-title">
      <h2 id="train-title">
        Predict {overview.target} of {overview.name}
      </h2>
      {training ? <Running studio={studio} training={training} /> : <Plan studio={studio} />}
      <LeaderBoard leaders={studio.standing.value} />
    </section>
  );
}

const BUDGETS = [10, 30, 60, 300, 900] as const;

const METRICS = [
  { name: "error", title: "fewest errors" },
  { name: "balanced-error", title: "fewest errors, all classes equal" },
  { name: "log-loss", title: "best probabilities" },
  { name: "auc", title: "best ranking (two classes)" },
  { name: "f1", title: "best F1 (two classes)" },
] as const;

function Plan({ studio }: { readonly studio: Studio }) {
  const { learner, seconds, metric, seed } = studio.plan.value;
  const learners = studio.learners.value;
  const setWay = (name: string) =>
    studio.planned({ learner: name === "" ? undefined : { name, settings: [] } });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void studio.train();
      }}
    >
      <div class="choices">
        <label>
          Learner{" "}
          <select value={learner?.name ?? ""} onChange={({ currentTarget }) => setWay(currentTarget.value)}>
            <option value="">find the best one</option>
            {learners.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {!learner && (
          <label>
            Time{" "}
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
          Aim{" "}
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
        <label>
          Seed{" "}
          <input
            type="number"
            min="0"
            step="1"
            value={String(seed)}
            onChange={({ currentTarget }) => studio.planned({ seed: seedOf(currentTarget.value) })}
          />
        </label>
      </div>
      <LearnerFields
        learner={learners.find(({ name }) => name === learner?.name)}
        settings={learner?.settings ?? []}
        onSettings={(settings) => learner && studio.planned({ learner: { name: learner.name, settings } })}
      />
      <p class="actions">
        <button type="submit" class="main" disabled={studio.waitingFor.value !== undefined}>
          {learner ? `Train ${learner.name}` : "Start the race"}
        </button>
      </p>
    </form>
  );
}

function seedOf(text: string): TrainPlan["seed"] {
  const seed = Math.round(Number(text));
  return Number.isFinite(seed) && seed >= 0 ? seed : 1;
}

function Running({ studio, training }: { readonly studio: Studio; readonly training: RunningTraining }) {
  const { progress, isRace, isFinishing } = training;
  const note = isFinishing
    ? "Training the best learner so far"
    : (progress?.note ?? progress?.stage ?? "Starting");
  return (
    <>
      <progress
        aria-label="Training"
        {...(progress?.total ? { max: progress.total, value: progress.done } : {})}
      />
      <p class="note">{note}</p>
      <p class="actions">
        {isRace && (
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
    </>
  );
}

/** Ignores the second click of a double click on the button that was in this place: it must not stop what the first one started. */
function unlessDouble(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    if (detail < 2) act();
  };
}
