import type { ComponentChildren } from "preact";
import { type GlossaryTerm, glossary } from "./glossary.js";

interface TermProps {
  readonly of: GlossaryTerm;
  /** The words in the text; by default the term. */
  readonly children?: ComponentChildren;
}

/**
 * Marks a term. Its meaning shows while the pointer or the focus is on it (`explainTerms`). A page without scripts has no control that
 * needs one: there it is text with a title.
 */
export function Term({ of, children = of }: TermProps) {
  return (
    <span class="term" title={glossary[of]}>
      {children}
    </span>
  );
}
