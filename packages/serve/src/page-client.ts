/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The script of the page of a model: sends the form or the written request, and shows the answer. */

interface PageModel {
  readonly address: string;
  readonly numeric: readonly string[];
}

interface PageReason {
  readonly column: string;
  readonly value: string;
  readonly contribution: number;
  readonly words?: readonly { readonly word: string; readonly contribution: number }[];
}

interface PageReasons {
  readonly class: string;
  readonly unit: string;
  readonly score: number;
  readonly columns: readonly PageReason[];
}

interface PageAnswer {
  readonly prediction?: string | null;
  readonly set?: readonly string[];
  readonly probabilities?: Readonly<Record<string, number>>;
  readonly reasons?: PageReasons;
  readonly notices?: readonly string[];
  readonly error?: string;
  readonly hint?: string;
}

const find = <E extends Element>(selector: string, type: new () => E): E | undefined => {
  const found = document.querySelector(selector);
  return found instanceof type ? found : undefined;
};

const element = (tag: string, text = "", className = ""): HTMLElement => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};

const form = find("#try", HTMLFormElement);
// A form has its fields as properties, and a column may be called "dataset" or "addEventListener": so all is done around it.
const frame = find("#model", HTMLElement);
if (form && frame) start(form, frame, JSON.parse(frame.dataset.model ?? "{}"));

function start(fields: HTMLFormElement, around: HTMLElement, model: PageModel): void {
  const body = find("#body", HTMLTextAreaElement);
  const curl = find("#curl", HTMLElement);
  const result = find("#result", HTMLElement);
  const reply = find("#reply", HTMLElement);
  const reasons = find("#reasons", HTMLInputElement);
  if (!body || !curl || !result || !reply) return;
  const address = () => `${model.address}${reasons?.checked ? "?reasons=5" : ""}`;
  const showCurl = () => {
    const text = body.value.replaceAll("'", "'\\''");
    curl.textContent = `curl -H 'Content-Type: application/json' '${location.origin}${address()}' -d '${text}'`;
  };
  const write = () => {
    body.value = JSON.stringify(recordOf(fields, model), null, 2);
    showCurl();
  };
  const send = async () => {
    const answer = await post(address(), body.value);
    reply.textContent = JSON.stringify(answer, null, 2);
    reply.classList.remove("soft");
    show(result, answer);
  };
  around.addEventListener("input", write);
  body.addEventListener("input", showCurl);
  around.addEventListener("submit", (event) => {
    event.preventDefault();
    write();
    void send();
  });
  find("#send", HTMLButtonElement)?.addEventListener("click", () => void send());
  write();
}

/** Reads the form; a cell that should be a number and is none is sent as it is, so that the server says so. */
function recordOf(fields: HTMLFormElement, { numeric }: PageModel): Record<string, string | number | null> {
  const cells = Array.from(new FormData(fields), ([name, value]): [string, string | number | null] => {
    const text = String(value).trim();
    if (text === "") return [name, null];
    const number = Number(text);
    return [name, numeric.includes(name) && Number.isFinite(number) ? number : text];
  });
  return Object.fromEntries(cells);
}

async function post(address: string, body: string): Promise<PageAnswer> {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    return await response.json();
  } catch {
    return { error: "The server does not answer.", hint: "Is it still running?" };
  }
}

function show(result: HTMLElement, answer: PageAnswer): void {
  result.replaceChildren(element("h2", "Answer"));
  if (answer.error !== undefined) {
    result.append(element("p", answer.error, "bad"), element("p", answer.hint ?? "", "soft"));
    return;
  }
  if (answer.prediction === undefined) {
    result.append(element("p", "The reply is below.", "soft"));
    return;
  }
  result.append(
    element("p", visible(answer.prediction ?? "No answer: the model is not sure enough."), "answer"),
    ...(answer.set ? [element("p", `Set: ${answer.set.map(visible).join(", ") || "no class"}`)] : []),
    bars(answer.probabilities ?? {}),
  );
  if (answer.reasons) {
    const heading = element("h3", `What speaks for “${visible(answer.reasons.class)}”, and what against it`);
    result.append(
      heading,
      reasonTable(answer.reasons.columns),
      scoreLine(answer.reasons, answer.probabilities),
    );
  }
  for (const notice of answer.notices ?? []) result.append(element("p", notice, "warn small"));
}

/** Shows spaces around a class, and several in a row; the script of a page cannot import `visibleSpaces`. */
function visible(name: string): string {
  return name.replace(/^\s+|\s+$|\s{2,}/g, (spaces) => "␣".repeat(spaces.length));
}

function bars(probabilities: Readonly<Record<string, number>>): HTMLElement {
  const list = element("ul", "", "bars");
  const sorted = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
  for (const [name, probability] of sorted.slice(0, 10)) {
    const row = element("li");
    const bar = document.createElement("progress");
    bar.value = probability;
    bar.setAttribute("aria-label", visible(name));
    row.append(element("span", visible(name)), element("span", `${(100 * probability).toFixed(1)} %`), bar);
    list.append(row);
  }
  return list;
}

function reasonTable(columns: readonly PageReason[]): HTMLElement {
  const table = element("table");
  const head = element("tr");
  head.append(element("th", "column"), element("th", "value"), element("th", "contribution", "number"));
  table.append(head);
  for (const { column, value, contribution, words = [] } of columns) {
    const row = element("tr");
    const deciding = words.filter((one) => one.contribution > 0 === contribution > 0);
    const fact =
      deciding.length > 0 ? `contains ${deciding.map(({ word }) => `“${word}”`).join(", ")}` : value;
    const size = `${contribution < 0 ? "−" : "+"}${Math.abs(contribution).toPrecision(2)}`;
    row.append(element("td", column), element("td", fact), element("td", size, "number"));
    table.append(row);
  }
  return table;
}

/** Explains the score, which readers would take for the probability above it. */
function scoreLine({ unit, score }: PageReasons, probabilities: PageAnswer["probabilities"]): HTMLElement {
  const calibration = probabilities ? " before calibration, so it can differ from the probability above" : "";
  const text = `Contributions explain the model's own score of ${score.toPrecision(3)} (${unit})${calibration}.`;
  return element("p", text, "soft small");
}
