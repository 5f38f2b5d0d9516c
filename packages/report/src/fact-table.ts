import { html, type Markup } from "./markup.js";

/** A fact: what it is called and what it is. */
export interface LabelledValue {
  readonly label: string;
  readonly value: string;
}

/** Facts with at most so many letters have room beside each other. */
const FEW_LETTERS = 30;

/** Facts below each other; short ones in two columns where there is room. */
export function factTable(facts: readonly LabelledValue[]): Markup {
  const short = facts.every(({ value }) => value.length <= FEW_LETTERS);
  return html`<dl class="facts ${short && "short"}">
${facts.map(
  ({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>
`,
)}</dl>
`;
}
