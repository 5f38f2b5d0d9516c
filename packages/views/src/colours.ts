/**
 * The palette. Every text colour has a contrast of at least 4.5 : 1 with the paper (WCAG AA); colour-blind people can
 * distinguish blue and orange, and no meaning is carried by colour alone.
 */
const light = {
  paper: "#ffffff",
  panel: "#f5f6f8",
  ink: "#1c2127",
  muted: "#57606b",
  line: "#d9dde2",
  blue: "#0b62ad",
  orange: "#ad4a00",
  band: "#c9def2",
  bar: "#5a94cc",
  green: "#1b7338",
  amber: "#8a5a00",
  red: "#b3261e",
} as const;

const dark: Readonly<Record<ColourName, string>> = {
  paper: "#14181d",
  panel: "#1d232a",
  ink: "#e7eaee",
  muted: "#a0aab6",
  line: "#353d47",
  blue: "#74b7f5",
  orange: "#f2a566",
  band: "#234766",
  bar: "#3f7fb8",
  green: "#6cc98a",
  amber: "#e3b341",
  red: "#f28b82",
};

type ColourName = keyof typeof light;

function declarations(palette: Readonly<Record<ColourName, string>>): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}

/** Returns a colour of the palette, which follows light and dark mode. */
export function colour(name: ColourName): string {
  return `var(--${name})`;
}

/** Returns style rules that give `selector` the palette; printed pages stay light. */
export function paletteRules(selector: string): string {
  return (
    `${selector}{color-scheme:light;${declarations(light)}}` +
    `@media screen and (prefers-color-scheme:dark){${selector}{color-scheme:dark;${declarations(dark)}}}`
  );
}
