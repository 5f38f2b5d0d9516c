import type { LearnerForm, OptionField } from "./learner-form.js";
import type { Settings } from "./settings.js";
import { useDraft } from "./use-draft.js";

interface OptionFormProps {
  readonly form: LearnerForm;
  readonly settings: Settings;
  /** Changes one setting; undefined restores the default. */
  readonly change: (name: string, value: string | undefined) => void;
  readonly reset: () => void;
  /** Number of options that show at first; the rest are folded unless changed. */
  readonly first: number;
}

/** Shows a field for every effective option of a learner and its base, by their schemas. */
export function OptionForm({ form, settings, change, reset, first: most }: OptionFormProps) {
  const { learner, options, base, faults } = form;
  const all = [...options, ...(base?.options ?? [])];
  const isChanged = ({ name }: OptionField) => Object.hasOwn(settings, name);
  const shown = (fields: readonly OptionField[]) =>
    fields.filter((field) => isChanged(field) || hasEffect(field, all, settings));
  const fields = (some: readonly OptionField[]) => (
    <div class="option-list">
      {some.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={settings[field.name]}
          fault={faults[field.name]}
          change={change}
        />
      ))}
    </div>
  );
  const own = shown(options);
  const first = own.filter((field, place) => place < most || isChanged(field));
  const others = own.filter((field) => !first.includes(field));
  return (
    <fieldset class="options">
      <legend>
        Options<span class="unseen"> of {learner}</span>
      </legend>
      {options.length === 0 && <p class="hint">{learner} has no options.</p>}
      {faults[""] !== undefined && (
        <p class="field-fault" role="alert">
          {faults[""]}
        </p>
      )}
      {fields(first)}
      {others.length > 0 && (
        <details>
          <summary>More options ({others.length})</summary>
          {fields(others)}
        </details>
      )}
      {base && (
        <details open={base.options.some(isChanged)}>
          <summary>Options of its base, {base.name}</summary>
          {fields(shown(base.options))}
        </details>
      )}
      {Object.keys(settings).length > 0 && (
        <button type="button" onClick={reset}>
          Reset all options
        </button>
      )}
    </fieldset>
  );
}

/** Returns whether an option has an effect with the current settings. */
function hasEffect({ ignoredIf }: OptionField, all: readonly OptionField[], settings: Settings): boolean {
  return !Object.entries(ignoredIf).some(([name, values]) => {
    const value = settings[name] ?? all.find((other) => other.name === name)?.initial;
    return value !== undefined && values.includes(value);
  });
}

interface FieldProps {
  readonly field: OptionField;
  /** Absent at the default. */
  readonly value: string | undefined;
  readonly fault: string | undefined;
  readonly change: OptionFormProps["change"];
}

function Field({ field, value, fault, change }: FieldProps) {
  const { name, description, initial } = field;
  const id = `option-${name}`;
  return (
    <div class={value === undefined ? "option" : "option changed"}>
      <label for={id}>{name}</label>
      <Control
        id={id}
        field={field}
        value={value ?? initial}
        isFaulty={fault !== undefined}
        onValue={(text) => change(name, text === initial ? undefined : text)}
      />
      {fault !== undefined && (
        <p class="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
      <p class="hint" id={`${id}-help`}>
        {description}
      </p>
      {value !== undefined && (
        <button type="button" class="link" onClick={() => change(name, undefined)}>
          Default: {initial === "" ? "not set" : initial}
        </button>
      )}
    </div>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: OptionField;
  readonly value: string;
  readonly isFaulty: boolean;
  readonly onValue: (text: string) => void;
}

/** Renders a list of words, a number, or text with suggestions. */
function Control({ id, field: { input, choices }, value, isFaulty, onValue }: ControlProps) {
  const typed = useDraft(value, (text) => {
    onValue(text);
    return true;
  });
  const shared = {
    id,
    "aria-describedby": isFaulty ? `${id}-fault ${id}-help` : `${id}-help`,
    "aria-invalid": isFaulty,
  };
  if (input === "choice") {
    return (
      <select {...shared} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (input !== "text") {
    return <input {...shared} {...typed} type="number" step={input === "whole" ? "1" : "any"} />;
  }
  return (
    <>
      <input
        {...shared}
        {...typed}
        type="text"
        {...(choices.length > 0 && { list: `${id}-choices` })}
        placeholder={value === "" ? "not set" : undefined}
      />
      {choices.length > 0 && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}
