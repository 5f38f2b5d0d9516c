// A prediction service that needs only node:http.
//
//     node examples/train-and-predict.mjs model.safetensors
//     node examples/service.mjs model.safetensors 8080
//     curl localhost:8080/predict --data '[{"clump_thickness": 5, "cell_size": 1, …}]'
import { createServer } from "node:http";
import { certify, VouchError } from "vouch";
import { loadModel } from "vouch/node";

const MOST_BYTES = 1_000_000;

const [path = "model.safetensors", port = "8080"] = process.argv.slice(2);
const classifier = await loadModel(path);
const { columns, target } = classifier.encoder.schema;

/** Describes the model: the columns it needs and the error to expect. */
function about() {
  const [certificate] = certify(classifier, { confidence: 0.95 });
  const kinds = Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
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
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  try {
    if (request.method === "GET" && request.url === "/") return answer(200, about());
    if (request.method === "POST" && request.url === "/predict") {
      // Prediction and probability of each class; { reasons: 3 } adds the columns that contribute most.
      return answer(200, await classifier.predictRecords(await readJson(request)));
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
