import { type ComponentChildren, type ComponentType, createContext, hydrate, type VNode } from "preact";
import { useContext } from "preact/hooks";

/** Whether panels are rendered to text, whose islands a script will make alive. */
const Rendered = createContext(false);

/** Marks the islands in panels that are rendered to text. */
export function WithIslands({ children }: { readonly children: ComponentChildren }) {
  return <Rendered.Provider value={true}>{children}</Rendered.Provider>;
}

interface IslandProps<Props extends object> {
  /** The name by which the script finds the component. */
  readonly name: string;
  readonly component: ComponentType<Props>;
  /** Plain data. */
  readonly props: NoInfer<Props>;
  /** Functions, for a page that is not rendered to text. */
  readonly live?: Partial<NoInfer<Props>> | undefined;
}

/** Shows a panel. In a page that is rendered to text its data are put beside it, so that a script can make it alive. */
export function Island<Props extends object>({ name, component: Panel, props, live }: IslandProps<Props>) {
  if (!useContext(Rendered)) return <Panel {...props} {...live} />;
  return (
    <div data-island={name}>
      <div>
        <Panel {...props} />
      </div>
      <script type="application/json" dangerouslySetInnerHTML={{ __html: jsonText(props) }} />
    </div>
  );
}

/** Writes JSON that neither ends the script element nor changes when the page is laid out. */
function jsonText(props: object): string {
  return JSON.stringify(props).replaceAll(/[<%=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** Draws an island from its data. */
export type DrawIsland = (json: string) => VNode;

/** Makes the islands of a page alive; names without a component stay as they are. */
export function hydrateIslands(page: ParentNode, islands: Readonly<Record<string, DrawIsland>>): void {
  for (const island of page.querySelectorAll<HTMLElement>("[data-island]")) {
    const draw = islands[island.dataset.island ?? ""];
    const [place, data] = island.children;
    if (draw && place && data) hydrate(draw(data.textContent), place);
  }
}
