import type { Learner } from "./learner.js";
import { isLoaded, loadedLearner } from "./registry.js";
import { settingsOf, settingText } from "./settings.js";

type NamedOptions = Pick<Learner, "name" | "options">;

/** Lists the options of a learner that are not at their defaults, by the names and values of `options`. */
export function optionsUnlikeDefaults({ name, options }: NamedOptions): [name: string, value: unknown][] {
  const defaults = isLoaded(name) ? loadedLearner(name).create().options : {};
  return Object.entries(options).filter(
    ([option, value]) => JSON.stringify(value) !== JSON.stringify(defaults[option]),
  );
}

/**
 * Lists the options of a learner that are not at their defaults, under their names on the command line and with their values as
 * they are typed, or as another function writes them.
 */
export function changedOptions(
  { name, options }: NamedOptions,
  write: (value: unknown) => string = settingText,
): [name: string, value: string][] {
  const kind = isLoaded(name) ? loadedLearner(name) : undefined;
  const { base, members } = options;
  const given = { ...(base !== undefined && { base }), ...(members !== undefined && { members }) };
  // The options of a base have the defaults of this base; the base and the members have their own defaults.
  const defaults = { ...settingsOf(kind?.create(given).options ?? {}), ...ownDefaults(kind, given) };
  return Object.entries(
    settingsOf({ ...options, ...(Array.isArray(members) && { members: typedMembers(members) }) }),
  )
    .filter(([option, value]) => settingText(value) !== settingText(defaults[option]))
    .map(([option, value]) => [option, write(value)]);
}

function ownDefaults(
  kind: ReturnType<typeof loadedLearner> | undefined,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const defaults = kind?.options.parse({}) ?? {};
  return Object.fromEntries(Object.keys(given).map((option) => [option, defaults[option]]));
}

/** Writes members of an ensemble as one would: by name, or with the options that are not the defaults. */
function typedMembers(members: readonly unknown[]): unknown[] {
  return members.map((member) => {
    if (!isMember(member)) return member;
    const { learner: name, options: all = {}, weight, temperature } = member;
    const options = Object.fromEntries(optionsUnlikeDefaults({ name, options: all }));
    const typed = {
      ...(Object.keys(options).length > 0 && { options }),
      ...(weight !== undefined && { weight }),
      ...(temperature !== undefined && { temperature }),
    };
    return Object.keys(typed).length > 0 ? { learner: name, ...typed } : name;
  });
}

interface GivenMember {
  readonly learner: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly weight?: number;
  readonly temperature?: number;
}

function isMember(member: unknown): member is GivenMember {
  return (
    typeof member === "object" && member !== null && "learner" in member && typeof member.learner === "string"
  );
}
