import type { ComponentChildren } from "preact";
import { classNames } from "./text.js";

/** Wide content that scrolls by itself must be reachable by keyboard, or nobody without a mouse sees its end. */
const REACHABLE = 0;

interface ScrollRegionProps {
  readonly label: string;
  /** Whether the content may be wider than the text. */
  readonly isBroad?: boolean;
  readonly children: ComponentChildren;
}

/** Lets a wide table scroll by itself instead of the page. */
export function ScrollRegion({ label, isBroad = false, children }: ScrollRegionProps) {
  return (
    <section class={classNames("scroll", isBroad && "broad")} tabIndex={REACHABLE} aria-label={label}>
      {children}
    </section>
  );
}
