import type { OptionDescription } from "vouch/command";
import type { PlaygroundForm } from "./training-events.js";

interface OptionFormProps {
  readonly form: PlaygroundForm;
  readonly settings: Readonly<Record<string, string>>;
  /** Changes one setting; undefined brings its default back. */
  readonly change: (name: string, value: string | undefined) => void;
}

/** Shows a field for every option of a learner and of its base, as their schemas describe them. */
export function OptionForm({ form, settings, change }: OptionFormProps) {
  const { options, base } = form;
  const own = options.filter(({ name }) => name !== "baseOptions");
  const changed = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return (
    <details class="option-list">
      <summary>
        Options of {form.learner}
        {changed.length > 0 && `: ${changed.join(" ")}`}
      </summary>
      {own.length === 0 && <p class="note">It has no options.</p>}
      <div class="setting-list">
        {own.map((option) => (
          <OptionField
            key={option.name}
            name={option.name}
            option={option}
            settings={settings}
            change={change}
          />
        ))}
      </div>
      {base && (
        <fieldset>
          <legend>Options of the base {base.name}</legend>
          <div class="setting-list">
            {base.options.map((option) => {
              const name = `base.${option.name}`;
              return (
                <OptionField key={name} name={name} option={option} settings={settings} change={change} />
              );
            })}
          </div>
        </fieldset>
      )}
      {changed.length > 0 && (
        <button
          type="button"
          onClick={() => {
            for (const name of Object.keys(settings)) change(name, undefined);
          }}
        >
          All defaults
        </button>
      )}
    </details>
  );
}

interface OptionFieldProps extends Omit<OptionFormProps, "form"> {
  readonly name: string;
  readonly option: OptionDescription;
}

function OptionField({ name, option, settings, change }: OptionFieldProps) {
  const usual = defaultText(option);
  const value = Object.hasOwn(settings, name) ? settings[name] : usual;
  const id = `option-${name}`;
  const set = (text: string) => change(name, text === usual ? undefined : text);
  const isNumber = typeof option.default === "number" && option.choices.length === 0;
  const isChoice = option.choices.length > 0 && option.choices.includes(usual);
  return (
    <div class="setting">
      <label for={id}>{breakable(name)}</label>
      {isChoice && !/number|list/.test(option.allowed) ? (
        <select
          id={id}
          value={value}
          aria-describedby={`${id}-help`}
          onChange={(event) => set(event.currentTarget.value)}
        >
          {option.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...(isNumber ? numberInput(option) : textInput)}
          id={id}
          value={value}
          placeholder={usual === "" ? "not set" : undefined}
          aria-describedby={`${id}-help`}
          onChange={(event) => set(event.currentTarget.value.trim())}
        />
      )}
      <p class="note" id={`${id}-help`}>
        {option.description}
      </p>
    </div>
  );
}

/** Lets a long name break before its capitals. */
function breakable(name: string) {
  return name.split(/(?=[A-Z])/).flatMap((part, i) => (i === 0 ? [part] : [<wbr key={part} />, part]));
}

const textInput = { type: "text" } as const;

function numberInput({ allowed }: OptionDescription) {
  return { type: "number", step: allowed.startsWith("a whole number") ? "1" : "any" } as const;
}

/** Writes the default of an option as a setting; empty if it has none. */
function defaultText(option: OptionDescription): string {
  const value = option.default;
  if (value === undefined || value === null) return "";
  return typeof value === "object"
    ? Array.isArray(value)
      ? value.join(",")
      : JSON.stringify(value)
    : String(value);
}
