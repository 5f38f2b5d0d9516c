import type { ComponentChildren } from "preact";
import { type GlossaryTerm, glossary } from "./glossary.js";

interface TermProps {
  readonly of: GlossaryTerm;
  /** Words in the text; by default the term. */
  readonly children?: ComponentChildren;
}

/**
 * Marks a term. Its meaning shows on hover or focus (`explainTerms`). Without scripts, it is plain text with a title.
 */
export function Term({ of, children = of }: TermProps) {
  return (
    <span class="term" title={glossary[of]}>
      {children}
    </span>
  );
}
