import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const tokens = readFileSync(new URL("../src/styles/tokens.css", import.meta.url), "utf8");

type Palette = Map<string, readonly number[]>;

function palettes(): Palette[] {
  return tokens.split("@media").map((rules) => {
    const found = [...rules.matchAll(/--(\w+): #(\w\w)(\w\w)(\w\w)/g)];
    return new Map(found.map(([, name, ...hex]) => [name, hex.map((digits) => Number.parseInt(digits, 16))]));
  });
}

/** Relative luminance, WCAG 2.2. */
function luminance(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function colourOf(palette: Palette, name: string): readonly number[] {
  const rgb = palette.get(name);
  if (!rgb) throw new Error(`The palette has no ${name}.`);
  return rgb;
}

function mixed(share: number, a: readonly number[], b: readonly number[]): number[] {
  return a.map((channel, i) => share * channel + (1 - share) * b[i]);
}

describe.each([
  ["light", 0],
  ["dark", 1],
])("the %s palette", (_, index) => {
  const palette = palettes()[index];

  it.each(["ink", "muted", "blue", "orange", "green", "amber", "red"])(
    "gives %s text a contrast of at least 4.5 : 1",
    (name) => {
      for (const ground of ["paper", "panel"]) {
        expect(contrast(colourOf(palette, name), colourOf(palette, ground))).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it("makes bars stand out from the paper by at least 3 : 1", () => {
    for (const bar of ["bar", "blue", "orange"]) {
      expect(contrast(colourOf(palette, bar), colourOf(palette, "paper"))).toBeGreaterThanOrEqual(3);
    }
  });

  it("keeps numbers readable in the darkest cells of the confusion matrix", () => {
    const ink = colourOf(palette, "ink");
    const paper = colourOf(palette, "paper");
    expect(contrast(ink, mixed(0.28, colourOf(palette, "blue"), paper))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(ink, mixed(0.5, colourOf(palette, "orange"), paper))).toBeGreaterThanOrEqual(4.5);
  });
});
