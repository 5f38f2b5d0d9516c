import { useEffect, useState } from "preact/hooks";
import type { PictureColours } from "./class-marks.js";

/** Returns the page colours at an element for a canvas, which has no style sheet. */
export function pageColours(element: Element): PictureColours {
  const style = getComputedStyle(element);
  return { paper: style.getPropertyValue("--paper"), ink: style.getPropertyValue("--ink") };
}

/** Returns whether the page is dark; the component is rendered again when that changes. */
export function useDarkness(): boolean {
  const [isDark, setDark] = useState(false);
  useEffect(() => {
    const darkness = matchMedia("(prefers-color-scheme: dark)");
    const onChange = () => setDark(darkness.matches);
    onChange();
    darkness.addEventListener("change", onChange);
    return () => darkness.removeEventListener("change", onChange);
  }, []);
  return isDark;
}
