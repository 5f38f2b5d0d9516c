import { GuideAddress } from "@vouch/views/internal/page/guide-link";
import type { ComponentChildren } from "preact";
import { useContext, useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { DataStep } from "../steps/data-step.js";
import { TrainStep } from "../steps/train-step.js";
import { UseStep } from "../steps/use-step.js";
import { FaultBox } from "./fault-box.js";
import { type PageName, route } from "./route.js";
import { faultShown, type Studio } from "./studio.js";
import { useLoaded } from "./use-loaded.js";

const STEPS: readonly { readonly page: PageName; readonly title: string }[] = [
  { page: "data", title: "Data" },
  { page: "train", title: "Train" },
  { page: "use", title: "Use" },
];

/** Shows the list of steps, and the step that the address names. */
export function App({ studio }: { readonly studio: Studio }) {
  const main = useRef<HTMLElement>(null);
  const guide = useContext(GuideAddress);
  const page = route.value;
  const shown = useRef(page);
  useEffect(() => {
    document.title = `${pageTitle(page)} · vouch studio`;
    // Focus moves to the top of the new step, for keyboard and screen reader users.
    if (shown.current !== page) main.current?.focus({ preventScroll: true });
    if (shown.current !== page) scrollTo(0, 0);
    shown.current = page;
  }, [page]);
  useDrop(studio);
  return (
    <div class={page === "playground" ? "studio broad-page" : "studio"}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the step
      </button>
      <header class="bar">
        <h1>
          <img src="icon.svg" alt="" width="24" height="24" /> vouch studio
        </h1>
        <nav aria-label="Steps">
          <ol>
            {STEPS.map(({ page: each, title }, i) => (
              <li key={each}>
                <StepLink
                  page={each}
                  number={i + 1}
                  title={title}
                  isOpen={isOpen(each, studio)}
                  isDone={isDone(each, studio)}
                />
              </li>
            ))}
          </ol>
        </nav>
        <a class="step" href="#playground" {...(page === "playground" && { "aria-current": "page" })}>
          Playground
        </a>
        {guide && (
          <a class="step" href={guide}>
            Guide
          </a>
        )}
        <p class="private">Your data stays on this computer.</p>
      </header>
      <main ref={main} id="main" tabIndex={-1}>
        <div class="status" role="status">
          {studio.waitingFor.value && <p>{studio.waitingFor.value} …</p>}
        </div>
        <FaultBox fault={pageFault(page, studio)} />
        {studio.isUnkept.value && (
          <p class="hint">This browser cannot keep your session: a reload starts afresh.</p>
        )}
        <Guarded studio={studio}>
          <Page page={page} studio={studio} />
        </Guarded>
      </main>
    </div>
  );
}

/** Returns the fault for the top of a page; other faults are shown in place. */
function pageFault(page: PageName, { fault }: Studio) {
  const place = fault.value?.place;
  const isBelow =
    (place === "training" && page === "train") || (typeof place === "object" && page === "data");
  return isBelow ? undefined : fault.value;
}

const RELOAD = "Reload the page. If that does not help, start over, which deletes this session.";

/** Shows rendering errors as faults. Otherwise a broken session would leave the page empty at every visit. */
function Guarded({ studio, children }: { readonly studio: Studio; readonly children: ComponentChildren }) {
  const [error, draw] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  const startOver = () => void studio.forget().then(draw);
  return (
    <>
      <FaultBox
        fault={{ message: `This page cannot be shown: ${faultShown(error).message}`, hint: RELOAD }}
      />
      <p class="actions">
        <button type="button" onClick={startOver}>
          Start over
        </button>
      </p>
    </>
  );
}

/** Opens a dropped file, unless it is dropped on a field of its own. */
function useDrop(studio: Studio): void {
  useEffect(() => {
    const allow = (event: DragEvent) => event.preventDefault();
    const take = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) void studio.open({ name: file.name, file });
    };
    document.addEventListener("dragover", allow);
    document.addEventListener("drop", take);
    return () => {
      document.removeEventListener("dragover", allow);
      document.removeEventListener("drop", take);
    };
  }, [studio]);
}

function Page({ page, studio }: { readonly page: PageName; readonly studio: Studio }) {
  switch (page) {
    case "train":
      return <TrainStep studio={studio} />;
    case "use":
      return <UseStep studio={studio} />;
    case "playground":
      return <LazyPlayground />;
    default:
      return <DataStep studio={studio} />;
  }
}

const loadPlayground = async () => (await import("../playground/playground.js")).Playground;

/** Loads the playground on first use. */
function LazyPlayground() {
  const Playground = useLoaded(loadPlayground);
  return Playground ? <Playground /> : <p role="status">Loading the playground …</p>;
}

interface StepLinkProps {
  readonly page: PageName;
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  readonly isDone: boolean;
}

function StepLink({ page, number, title, isOpen: open, isDone: done }: StepLinkProps) {
  const isCurrent = route.value === page;
  const content = (
    <>
      <b aria-hidden="true">{done && !isCurrent ? "✓" : number}</b> {title}
    </>
  );
  if (!open) {
    return (
      <span class="step" aria-disabled="true">
        {content}
      </span>
    );
  }
  return (
    <a class="step" href={`#${page}`} {...(isCurrent && { "aria-current": "step" })}>
      {content}
    </a>
  );
}

/** A step opens when the previous one is done. */
function isOpen(page: PageName, { overview, result }: Studio): boolean {
  if (page === "train") return overview.value !== undefined;
  return page !== "use" || result.value !== undefined;
}

/** The data step is done with a file that can be trained on, the train step with a model. */
function isDone(page: PageName, { overview, result }: Studio): boolean {
  if (page === "data") return overview.value !== undefined && overview.value.fault === undefined;
  return page === "train" && result.value !== undefined;
}

function pageTitle(page: PageName): string {
  return STEPS.find((step) => step.page === page)?.title ?? "Playground";
}
