import type { ComponentChildren } from "preact";

interface OutlinedProps {
  /** A picture that is too wide for a phone, which shows the outline instead. */
  readonly picture: ComponentChildren;
  readonly summary: string;
  /** Outline that says in words what the picture shows. */
  readonly children: ComponentChildren;
}

/** Shows a picture and its text version: folded below it, or in its place on a phone. */
export function Outlined({ picture, summary, children }: OutlinedProps) {
  return (
    <>
      <div class="wide">{picture}</div>
      <details class="outline">
        <summary>{summary}</summary>
        {children}
      </details>
    </>
  );
}
