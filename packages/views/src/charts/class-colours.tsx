import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";

/** Classes that have a colour of their own. */
const COLOURS = 10;

/** The place of each class among all; the last one is also that of classes that are counted together. */
export type ClassPlaces = ReadonlyMap<string, number>;

/** Returns the style class of the areas of a class. */
export function classFill(places: ClassPlaces, name: string): string {
  return `class${(places.get(name) ?? Math.max(0, places.size - 1)) % COLOURS}`;
}

/** Names the colours of classes, unless there are none or too many for a colour each. */
export function ClassLegend({ classes }: { readonly classes: readonly string[] }) {
  if (classes.length < 2 || classes.length > COLOURS) return null;
  return (
    <ul class="legend">
      {classes.map((name, k) => (
        <li key={name}>
          <svg width="13" height="13" aria-hidden="true">
            <rect width="13" height="13" rx="2" class={`class${k}`} />
          </svg>{" "}
          {visibleSpaces(name)}
        </li>
      ))}
    </ul>
  );
}
