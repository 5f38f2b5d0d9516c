import type { LearnerForm } from "../options/learner-form.js";
import type { Settings } from "../options/settings.js";

/**
 * Options that differ from the learner's own defaults, which suit tables. On a few hundred points, two layers of eight
 * units learn circles, spirals and XOR, and all units fit into the picture. tanh units stay alive, so that each of them
 * shows something.
 */
const DEFAULTS: Readonly<Record<string, Settings>> = {
  mlp: { layers: "8,8", activation: "tanh", learningRate: "0.03", weightDecay: "0.1" },
};

/** Completes settings with the playground's defaults. */
export function completeSettings(learner: string, settings: Settings): Settings {
  return { ...playgroundDefaults(learner), ...settings };
}

/** Shows the playground's defaults in a form. */
export function withPlaygroundDefaults(form: LearnerForm): LearnerForm {
  const defaults = playgroundDefaults(form.learner);
  const options = form.options.map((field) => ({ ...field, initial: defaults[field.name] ?? field.initial }));
  return { ...form, options };
}

function playgroundDefaults(learner: string): Settings {
  return Object.hasOwn(DEFAULTS, learner) ? DEFAULTS[learner] : {};
}
