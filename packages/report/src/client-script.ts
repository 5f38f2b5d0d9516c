/** A module of the script of live reports. */
interface ClientModule {
  readonly code: string;
  /** Modules that it imports, and modules that it loads on demand. */
  readonly needs: readonly string[];
  readonly loads: readonly string[];
}

/** The script of live reports, as modules: the file `client.json` of this package. */
export interface ReportClient {
  readonly entry: string;
  readonly modules: Readonly<Record<string, ClientModule>>;
  /** Module of each learner. */
  readonly learners: Readonly<Record<string, string>>;
}

/** Returns the learner names in a model file, including nested models. */
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

/** Assembles the script of a page with the code of some learners. */
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
