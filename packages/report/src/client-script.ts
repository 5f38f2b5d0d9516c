/** A module of the script of live reports. */
interface ClientModule {
  readonly code: string;
  /** Names of the modules that it imports, and of those that it loads on demand. */
  readonly needs: readonly string[];
  readonly loads: readonly string[];
}

/** The script of live reports in parts: `client.json` of this package. */
export interface ReportClient {
  readonly entry: string;
  readonly modules: Readonly<Record<string, ClientModule>>;
  /** The module of each learner. */
  readonly learners: Readonly<Record<string, string>>;
}

/** Returns the name of the learner of a model file and of all models inside it. */
export function learnersIn(model: Uint8Array): string[] {
  const view = new DataView(model.buffer, model.byteOffset);
  const header = new TextDecoder().decode(model.subarray(8, 8 + Number(view.getBigUint64(0, true))));
  const { card, model: nested } = JSON.parse(JSON.parse(header).__metadata__.vouch);
  const names = new Set<string>([card.learner]);
  JSON.stringify(nested, (key, value) => {
    if (key === "learner" && typeof value === "string") names.add(value);
    return value;
  });
  return [...names];
}

/** Puts the script of a page together, with the code of some learners. */
export function clientScript({ entry, modules, learners }: ReportClient, names: readonly string[]): string {
  const ofLearners = new Set(Object.values(learners));
  const wanted = new Set([entry, ...names.map((name) => learners[name])]);
  for (const name of wanted) {
    const { needs, loads } = modules[name];
    for (const other of needs) wanted.add(other);
    for (const other of loads) if (!ofLearners.has(other)) wanted.add(other);
  }
  const functions = [...wanted].map(
    (name) => `${JSON.stringify(`./${name}`)}(exports,require,module){${modules[name].code}\n}`,
  );
  return `"use strict";(()=>{const modules={${functions.join(",")}},done={};function require(name){if(!done[name]){const module=done[name]={exports:{}};modules[name](module.exports,require,module)}return done[name].exports}require(${JSON.stringify(`./${entry}`)})})()`;
}
