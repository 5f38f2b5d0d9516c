import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import type { Playground } from "../playground/playground.js";
import { DataStep } from "../steps/data-step.js";
import { TrainStep } from "../steps/train-step.js";
import { UseStep } from "../steps/use-step.js";
import { FaultBox } from "./fault-box.js";
import { type PageName, route } from "./route.js";
import type { Studio } from "./studio.js";

const STEPS: readonly { readonly page: PageName; readonly title: string }[] = [
  { page: "data", title: "Data" },
  { page: "train", title: "Train" },
  { page: "use", title: "Use" },
];

/** Shows the studio: the list of steps, and the step that the address names. */
export function App({ studio }: { readonly studio: Studio }) {
  const main = useRef<HTMLElement>(null);
  const page = route.value;
  const shown = useRef(page);
  useEffect(() => {
    document.title = `${titleOf(page)} · vouch studio`;
    // Whoever goes on by keyboard or listens begins at the top of the new step.
    if (shown.current !== page) main.current?.focus({ preventScroll: true });
    if (shown.current !== page) scrollTo(0, 0);
    shown.current = page;
  }, [page]);
  useDrop(studio);
  return (
    <div class="studio">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the step
      </button>
      <header class="bar">
        <h1>vouch studio</h1>
        <nav aria-label="Steps">
          <ol>
            {STEPS.map(({ page: each, title }, i) => (
              <li key={each}>
                <StepLink page={each} title={`${i + 1}. ${title}`} isOpen={isOpen(each, studio)} />
              </li>
            ))}
          </ol>
        </nav>
        <a href="#playground" {...(page === "playground" && { "aria-current": "page" })}>
          Playground
        </a>
        <p class="private">Your data stays on this computer.</p>
      </header>
      <main ref={main} id="main" tabIndex={-1}>
        <p class="status" role="status">
          {studio.waitingFor.value && `${studio.waitingFor.value} …`}
        </p>
        <FaultBox fault={studio.fault.value} />
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

/** Shows what cannot be drawn as a fault: a session that it comes from must not leave the page empty at every visit. */
function Guarded({ studio, children }: { readonly studio: Studio; readonly children: ComponentChildren }) {
  const [error, draw] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  const startOver = () => void studio.forget().then(draw);
  return (
    <>
      <FaultBox
        fault={{ message: "This page cannot be shown.", hint: error instanceof Error ? error.message : "" }}
      />
      <p class="actions">
        <button type="button" onClick={startOver}>
          Start over
        </button>
      </p>
    </>
  );
}

/** Opens a file that is dropped anywhere but on a field of its own. */
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

/** Shows the playground, which is loaded when it is first needed. */
function LazyPlayground() {
  const [Loaded, setLoaded] = useState<typeof Playground>();
  useEffect(() => {
    void import("../playground/playground.js").then((module) => setLoaded(() => module.Playground));
  }, []);
  return Loaded ? <Loaded /> : <p role="status">Loading the playground …</p>;
}

function StepLink({
  page,
  title,
  isOpen: open,
}: {
  readonly page: PageName;
  readonly title: string;
  readonly isOpen: boolean;
}) {
  const isCurrent = route.value === page;
  if (!open) return <span aria-disabled="true">{title}</span>;
  return (
    <a href={`#${page}`} {...(isCurrent && { "aria-current": "step" })}>
      {title}
    </a>
  );
}

/** A step opens when the one before it is done. */
function isOpen(page: PageName, { overview, result }: Studio): boolean {
  if (page === "train") return overview.value !== undefined;
  return page !== "use" || result.value !== undefined;
}

function titleOf(page: PageName): string {
  return STEPS.find((step) => step.page === page)?.title ?? "Playground";
}
