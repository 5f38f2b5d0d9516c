import type { SchemeName } from "./base-learner.js";
import { dagScheme } from "./dag.js";
import { oneVsOneScheme } from "./one-vs-one.js";
import { oneVsRestScheme } from "./one-vs-rest.js";
import type { Scheme } from "./scheme.js";

const schemes: Readonly<Record<SchemeName, Scheme>> = {
  "one-vs-one": oneVsOneScheme,
  "one-vs-rest": oneVsRestScheme,
  "dag-svm": dagScheme,
};

/** The scheme of that name. */
export function schemeNamed(name: SchemeName): Scheme {
  return schemes[name];
}
