import { LEARNER_FAMILIES, learnerFamily } from "../options/learner-families.js";
import { OptionForm } from "../options/option-form.js";
import { withSetting } from "../options/settings.js";
import { exampleHash, playgroundExamples } from "./playground-examples.js";
import type { PlaygroundState } from "./playground-state.js";
import type { ChangeState } from "./use-hash-state.js";
import type { TrainingView } from "./use-training.js";

interface LearnerPickerProps {
  readonly state: PlaygroundState;
  readonly change: ChangeState;
  readonly view: TrainingView;
}

/** Lets the user choose a learner and its options. */
export function LearnerPicker({ state, change, view }: LearnerPickerProps) {
  const { form } = view;
  const isListed = view.learners.some(({ name }) => name === state.learner);
  const chosen = { name: state.learner, title: state.learner, family: learnerFamily(state.learner) };
  const learners = isListed ? view.learners : [...view.learners, chosen];
  return (
    <>
      <fieldset>
        <legend>Learner</legend>
        <select
          id="learner"
          aria-label="Learner"
          value={state.learner}
          onChange={(event) => change({ learner: event.currentTarget.value, settings: {} })}
        >
          {LEARNER_FAMILIES.map((family) => (
            <optgroup key={family} label={family}>
              {learners
                .filter((each) => each.family === family)
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        {form?.learner === state.learner && <p class="hint">{form.summary}</p>}
        <ExampleLink learner={state.learner} />
      </fieldset>
      {form?.learner === state.learner && (
        <OptionForm
          form={form}
          settings={state.settings}
          change={(name, value) =>
            change((before) => ({ settings: withSetting(before.settings, name, value) }))
          }
          reset={() => change({ settings: {} })}
          first={3}
        />
      )}
    </>
  );
}

/** Links to the example that best shows how a learner works. */
function ExampleLink({ learner }: { readonly learner: string }) {
  const example = playgroundExamples.find((one) => one.learner === learner);
  if (!example) return null;
  return (
    <p class="see">
      <a href={exampleHash(example)}>Example</a>: {example.see}
    </p>
  );
}
