import type { ComponentChildren } from "preact";
import { classNames } from "../text/text.js";

interface ScrollRegionProps {
  readonly label: string;
  /** Whether the content may be wider than the text column. */
  readonly isBroad?: boolean;
  readonly children: ComponentChildren;
}

/** Lets a wide table scroll instead of the page; it is focusable for keyboard users. */
export function ScrollRegion({ label, isBroad = false, children }: ScrollRegionProps) {
  return (
    <section class={classNames("scroll", isBroad && "broad")} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
