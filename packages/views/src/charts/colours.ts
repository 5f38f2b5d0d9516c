/** The colours of `styles/tokens.css` that charts use. */
type ColourName = "paper" | "ink" | "muted" | "line" | "blue" | "orange" | "band";

/** Returns a colour of the palette, which follows light and dark mode. */
export function colour(name: ColourName): string {
  return `var(--${name})`;
}
