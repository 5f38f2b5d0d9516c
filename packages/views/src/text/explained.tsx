import type { ComponentChildren } from "preact";
import { type GlossaryTerm, termPatterns } from "./glossary.js";
import { Sentences } from "./name.js";
import { Term } from "./term.js";

interface ExplainedProps {
  readonly text: string;
  /** Terms to mark, each at its first occurrence. */
  readonly terms: readonly GlossaryTerm[];
}

/** Shows sentences with glossary terms marked. */
export function Explained({ text, terms }: ExplainedProps) {
  const found = terms
    .flatMap((term) => {
      const [words] = termPatterns[term]?.exec(text) ?? [];
      return words === undefined ? [] : [{ term, words, start: text.indexOf(words) }];
    })
    .sort((a, b) => a.start - b.start);
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { term, words, start } of found) {
    parts.push(between(text.slice(end, start)), <Term of={term}>{words}</Term>);
    end = start + words.length;
  }
  return (
    <>
      {parts}
      {between(text.slice(end))}
    </>
  );
}

/** Shows the text between two terms; the spaces at its ends are breaking ones. */
function between(text: string): ComponentChildren {
  const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  return words ? [before, <Sentences text={words} />, after] : text;
}
