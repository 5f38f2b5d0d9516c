/**
 * Learner options as on the command line, such as rounds: "20"; options of a base are "base.NAME". Defaults are left
 * out.
 */
export type Settings = Readonly<Record<string, string>>;

/** Formats settings as on the command line: `rounds=20`. */
export function settingTexts(settings: Settings): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}

/** Returns settings with a changed option; undefined restores its default. */
export function withSetting(settings: Settings, name: string, value: string | undefined): Settings {
  const { [name]: _, ...others } = settings;
  return value === undefined ? others : { ...others, [name]: value };
}
