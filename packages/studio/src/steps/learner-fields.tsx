import type { LearnerDescription, OptionField } from "../engine/protocol.js";

interface LearnerFieldsProps {
  readonly learner: LearnerDescription | undefined;
  /** Settings that differ from the defaults, as `trees=200`. */
  readonly settings: readonly string[];
  readonly onSettings: (settings: readonly string[]) => void;
}

/** The form of a learner's options, made from their descriptions. */
export function LearnerFields({ learner, settings, onSettings }: LearnerFieldsProps) {
  if (!learner) return null;
  const settingOf = (name: string) => {
    const setting = settings.find((each) => each.startsWith(`${name}=`));
    return setting?.slice(name.length + 1);
  };
  const change = ({ name, initial }: OptionField, value: string) => {
    const others = settings.filter((each) => !each.startsWith(`${name}=`));
    onSettings(value === "" || value === initial ? others : [...others, `${name}=${value}`]);
  };
  const own = learner.options.map(({ name }) => name);
  const further = settings.filter((each) => !own.includes(each.split("=")[0]));
  return (
    <fieldset class="options">
      <legend>Options of {learner.name}</legend>
      <p>{learner.summary}</p>
      {learner.options.map((option) => (
        <Field
          key={option.name}
          option={option}
          value={settingOf(option.name)}
          onValue={(value) => change(option, value)}
        />
      ))}
      {own.includes("base") && (
        <label>
          Options of the base learner
          <input
            value={further.join(" ")}
            placeholder="base.depth=3"
            onChange={({ currentTarget }) => {
              const given = currentTarget.value.split(/\s+/).filter((each) => each !== "");
              onSettings([...settings.filter((each) => !further.includes(each)), ...given]);
            }}
          />
          <span class="hint">Settings such as base.depth=3, separated by spaces.</span>
        </label>
      )}
    </fieldset>
  );
}

interface FieldProps {
  readonly option: OptionField;
  /** Absent at the default. */
  readonly value: string | undefined;
  readonly onValue: (value: string) => void;
}

function Field({ option: { name, description, allowed, choices, initial }, value, onValue }: FieldProps) {
  const field = `option-${name}`;
  const hint = `${field}-hint`;
  return (
    <div class="field">
      <label for={field}>{name}</label>
      {choices.length > 0 ? (
        <select
          id={field}
          aria-describedby={hint}
          value={value ?? initial}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        >
          {(choices.includes(initial) ? choices : [initial, ...choices]).map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={field}
          aria-describedby={hint}
          value={value ?? ""}
          placeholder={initial}
          onChange={({ currentTarget }) => onValue(currentTarget.value.trim())}
        />
      )}
      <p class="hint" id={hint}>
        {description} ({allowed}
        {initial === "" ? "" : `; default ${initial}`})
      </p>
    </div>
  );
}
