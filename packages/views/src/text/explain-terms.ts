/** Gaps in pixels: between a term and its meaning, and between the meaning and the sides of the window. */
const GAP = 6;

/** Identifies the element that shows a meaning. */
const MEANING = "term-meaning";

/**
 * Shows the meaning of a term on hover, focus or tap. The meaning overlays the page, so nothing moves, and Escape
 * closes it (WCAG 1.4.13). Terms have the class `term` and their meanings as titles. They become controls now, or when
 * they enter the page. Call this once per page.
 */
export function explainTerms(page: Document): void {
  const enable = () => {
    for (const term of page.querySelectorAll<HTMLElement>(".term:not([tabindex])")) {
      term.tabIndex = 0;
      term.role = "button";
    }
  };
  enable();
  new MutationObserver(enable).observe(page.body, { childList: true, subtree: true });
  let shown: HTMLElement | undefined;
  const box = page.createElement("div");
  box.id = MEANING;
  box.role = "tooltip";
  box.hidden = true;
  page.body.append(box);
  const hide = () => {
    shown?.removeAttribute("aria-describedby");
    shown = undefined;
    box.hidden = true;
  };
  const show = (target: EventTarget | null) => {
    const term = termAt(target);
    if (!term || term === shown) return;
    hide();
    shown = term;
    // Otherwise the browser would show the title as well.
    if (term.title) term.dataset.meaning = term.title;
    term.removeAttribute("title");
    box.textContent = term.dataset.meaning ?? "";
    box.hidden = false;
    term.setAttribute("aria-describedby", MEANING);
    place(box, term);
  };
  page.addEventListener("pointerover", ({ target }) => {
    const isFocused = shown !== undefined && shown === page.activeElement;
    if (termAt(target)) show(target);
    else if (target !== box && !isFocused) hide();
  });
  page.addEventListener("focusin", ({ target }) => (termAt(target) ? show(target) : hide()));
  page.addEventListener("click", ({ target }) => (termAt(target) ? show(target) : hide()));
  page.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (key === "Escape") hide();
    if (termAt(target) && (key === "Enter" || key === " ")) {
      event.preventDefault();
      show(target);
    }
  });
  const follow = () => shown && place(box, shown);
  page.addEventListener("scroll", follow, { capture: true, passive: true });
}

function termAt(target: EventTarget | null): HTMLElement | undefined {
  const found = target instanceof Element ? target.closest(".term") : null;
  return found instanceof HTMLElement ? found : undefined;
}

/** Places the meaning below its term, or above it if there is no room. */
function place(box: HTMLElement, term: HTMLElement): void {
  const at = term.getBoundingClientRect();
  const { clientWidth, clientHeight } = box.ownerDocument.documentElement;
  box.style.left = "0";
  const { width, height } = box.getBoundingClientRect();
  const isBelow = at.bottom + GAP + height <= clientHeight;
  const left = Math.max(GAP, Math.min(at.left, clientWidth - width - GAP));
  box.style.left = `${left}px`;
  box.style.top = `${isBelow ? at.bottom + GAP : Math.max(GAP, at.top - GAP - height)}px`;
}
