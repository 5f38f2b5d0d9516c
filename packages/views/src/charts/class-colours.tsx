import { visibleSpaces } from "@vouch/core/internal/runtime/text/suggestions";

/** Number of classes with their own colour. */
const COLOURS = 10;

/** The colour index of each class; the last index is shared by classes that are counted together. */
export type ClassPlaces = ReadonlyMap<string, number>;

/** Returns the CSS class for areas of a class. */
export function classFill(places: ClassPlaces, name: string): string {
  return `class${(places.get(name) ?? Math.max(0, places.size - 1)) % COLOURS}`;
}

/** Lists classes and their colours; empty if there are no classes or more than colours. */
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
