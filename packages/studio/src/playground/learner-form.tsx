import { OptionForm } from "./option-form.js";
import type { PlaygroundState } from "./playground-state.js";
import type { ChangeState } from "./use-hash-state.js";
import type { TrainingView } from "./use-training.js";

interface LearnerFieldsetProps {
  readonly state: PlaygroundState;
  readonly change: ChangeState;
  readonly view: TrainingView;
}

/** Chooses a learner and its options. */
export function LearnerFieldset({ state, change, view }: LearnerFieldsetProps) {
  return (
    <fieldset>
      <legend>Learner</legend>
      <div class="setting wide">
        <label for="learner">Name</label>
        <select
          id="learner"
          value={state.learner}
          onChange={(event) => change({ learner: event.currentTarget.value, settings: {} })}
        >
          {[...new Set([...view.learners, state.learner])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {view.form?.learner === state.learner && (
        <>
          <p class="note">{view.form.summary}</p>
          <OptionForm
            form={view.form}
            settings={state.settings}
            change={(name, value) =>
              change((before) => ({ settings: withSetting(before.settings, name, value) }))
            }
          />
        </>
      )}
    </fieldset>
  );
}

function withSetting(
  settings: Readonly<Record<string, string>>,
  name: string,
  value: string | undefined,
): Record<string, string> {
  const { [name]: _, ...others } = settings;
  return value === undefined ? others : { ...others, [name]: value };
}
