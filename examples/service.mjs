// A prediction service that needs only node:http.
//
//     node examples/train-and-predict.mjs model.safetensors
//     node examples/service.mjs model.safetensors 8080
//     curl localhost:8080/predict --data '[{"clump_thickness": 5, "cell_size": 1, …}]'
import { createServer } from "node:http";
import { certify, Table, VouchError } from "vouch";
import { loadModel } from "vouch/node";

const MOST_BYTES = 1_000_000;

const [path = "model.safetensors", port = "8080"] = process.argv.slice(2);
const classifier = await loadModel(path);
const { columns, target } = classifier.encoder.schema;

// A request may have too few rows to infer column kinds from, so use those the model was trained with.
const kinds = Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));

/** Predicts the class of every row, with the score of each class. */
function predictions(rows) {
  const table = Table.fromRecords("the request", rows, kinds);
  const scores = classifier.scores(table);
  return classifier.predict(table).map((prediction, i) => ({
    prediction,
    scores: Object.fromEntries(classifier.classes.map((name, k) => [name, scores.row(i)[k]])),
  }));
}

/** Describes the model: the columns it needs and the error to expect. */
function about() {
  const [certificate] = certify(classifier, { confidence: 0.95 });
  return { target, classes: classifier.classes, columns: kinds, guarantee: certificate?.statement };
}

async function readJson(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new SyntaxError("The request is too large.");
    chunks.push(chunk);
  }
  const rows = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const isRow = (row) => typeof row === "object" && row !== null && !Array.isArray(row);
  if (!Array.isArray(rows) || !rows.every(isRow))
    throw new SyntaxError("Send a list of objects, one per row.");
  return rows;
}

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  try {
    if (request.method === "GET" && request.url === "/") return answer(200, about());
    if (request.method === "POST" && request.url === "/predict") {
      return answer(200, predictions(await readJson(request)));
    }
    return answer(404, { error: "GET / tells about the model, POST /predict takes rows." });
  } catch (error) {
    // For example a missing column, or text in a numeric one: the message says what is wrong and where.
    if (error instanceof VouchError) return answer(400, { error: error.message, hint: error.hint });
    if (error instanceof SyntaxError) return answer(400, { error: error.message });
    console.error(error);
    return answer(500, { error: "Something went wrong here." });
  }
});
server.listen(Number(port), () => console.log(`listening on http://localhost:${server.address().port}`));
