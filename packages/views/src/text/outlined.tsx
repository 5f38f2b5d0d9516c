import type { ComponentChildren } from "preact";

interface OutlinedProps {
  /** Too wide for a phone, which shows the outline instead. */
  readonly picture: ComponentChildren;
  readonly summary: string;
  /** The outline, which says in words what the picture shows. */
  readonly children: ComponentChildren;
}

/** Shows a picture, and the same as text: folded below it, or in its place on a phone. */
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
