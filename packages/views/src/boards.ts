/**
 * The panels and parts of `@vouch/views` that draw no charts, for pages that load the others later.
 *
 * @packageDocumentation
 */

export { explainTerms } from "./explain-terms.js";
export type { GlossaryTerm } from "./glossary.js";
export { Spark } from "./panels/column-table.js";
export { LeaderBoard, type LearnerTitle } from "./panels/leader-board.js";
export { ScrollRegion } from "./scroll-region.js";
export { TableHead } from "./tables.js";
export { Term } from "./term.js";
