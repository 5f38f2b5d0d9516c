import type { RecordAnswer } from "@vouch/core/internal/train/record-answer";
import { NoticeList, Section, typicalRow } from "@vouch/views";
import type { RowAnswer, TypedRow } from "@vouch/views/facts";
import { AnswerPanel } from "@vouch/views/internal/panels/rows/answer-panel";
import { RowFields } from "@vouch/views/internal/panels/rows/row-fields";
import { useState } from "preact/hooks";
import type { ModelPageData } from "../page-data.js";

/** The server's reply to a request. */
interface Reply extends Partial<RecordAnswer> {
  readonly notices?: readonly string[];
  readonly error?: string;
  readonly hint?: string;
}

/** Lets people fill in a row or edit a request, and shows the answer. */
export function TryPanel({ data: { path, fields, explains } }: { readonly data: ModelPageData }) {
  const [row, setRow] = useState<TypedRow>(() => typicalRow(fields));
  const [body, setBody] = useState(() => requestBody(row, fields));
  const [reply, setReply] = useState<Reply>();
  const address = `${path}/predict${explains ? "?reasons=5" : ""}`;
  const change = (next: TypedRow) => {
    setRow(next);
    setBody(requestBody(next, fields));
  };
  const send = async (request: string) => setReply(await post(address, request));
  const sendRow = (event: Event) => {
    event.preventDefault();
    // Edits in the text of the request are not in the fields.
    const request = requestBody(row, fields);
    setBody(request);
    void send(request);
  };
  return (
    <>
      <Section heading="Try it">
        <p class="note">
          The example is made up from the median or most frequent value of each column. It is not copied from
          a training row.
        </p>
        <div class="what-if">
          <form id="try" onSubmit={sendRow}>
            <RowFields fields={fields} row={row} onRow={change} />
            <button type="submit">Predict</button>
          </form>
          <output class="answer" id="answer" aria-live="polite">
            <Answered reply={reply} />
          </output>
        </div>
      </Section>
      <Section heading="From a program">
        <label for="body">Request</label>
        <textarea
          id="body"
          spellcheck={false}
          value={body}
          onInput={({ currentTarget }) => setBody(currentTarget.value)}
        />
        <button type="button" id="send" onClick={() => void send(body)}>
          Send
        </button>
        <h3>With curl</h3>
        <pre id="curl">{curl(address, body)}</pre>
        <h3>Reply</h3>
        <pre id="reply">{reply ? JSON.stringify(reply, null, 2) : "Send the request to see the reply."}</pre>
      </Section>
    </>
  );
}

function Answered({ reply }: { readonly reply: Reply | undefined }) {
  if (!reply) return <p class="note">Fill in the columns and predict.</p>;
  if (reply.error !== undefined) {
    return (
      <>
        <p class="field-warning">{reply.error}</p>
        <p class="note">{reply.hint}</p>
      </>
    );
  }
  if (reply.prediction === undefined) return <p class="note">The reply is below.</p>;
  return (
    <>
      <AnswerPanel answer={rowAnswer(reply)} />
      <NoticeList notices={reply.notices ?? []} />
    </>
  );
}

/** Converts the server's reply into the answer that the panels show. */
function rowAnswer({ prediction, probabilities = {}, set, reasons }: Reply): RowAnswer {
  return {
    class: prediction ?? "",
    probabilities: Object.entries(probabilities)
      .map(([name, probability]) => ({ class: name, probability }))
      .sort((a, b) => b.probability - a.probability),
    set,
    reasons: reasons && { ...reasons, of: reasons.class, reasons: reasons.columns },
  };
}

/** Formats a row as a JSON request; an empty field is a missing value. */
function requestBody(row: TypedRow, fields: ModelPageData["fields"]): string {
  const cells = fields.map(({ name, kind }) => {
    const text = (row[name] ?? "").trim();
    if (text === "") return [name, null];
    return [name, kind === "numeric" ? Number(text) : text];
  });
  return JSON.stringify(Object.fromEntries(cells), null, 2);
}

function curl(address: string, body: string): string {
  const text = body.replaceAll("'", "'\\''");
  return `curl -H 'Content-Type: application/json' '${location.origin}${address}' -d '${text}'`;
}

async function post(address: string, body: string): Promise<Reply> {
  try {
    const headers = { "Content-Type": "application/json" };
    return await (await fetch(address, { method: "POST", headers, body })).json();
  } catch {
    return { error: "The server does not answer.", hint: "Is it still running?" };
  }
}
