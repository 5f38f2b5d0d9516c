/**
 * Runs commands in one process, which saves the time that each would take to start. Takes the arguments of a command as a
 * message, and answers with its exit code and output.
 */
import { main } from "../dist/process/main.js";

/** A stream that is not a terminal, keeps what is written, and adds it to what all streams wrote. */
function keeping(all) {
  const stream = { text: "", on: () => stream, listenerCount: () => 1 };
  stream.write = (text) => {
    stream.text += text;
    all.text += text;
    return true;
  };
  return stream;
}

async function run(args) {
  const all = { text: "" };
  const [out, err] = [keeping(all), keeping(all)];
  const code = await main(args, { out, err }).catch((error) => {
    err.write(`${error?.stack ?? error}\n`);
    return 1;
  });
  process.send({ code, stdout: out.text, stderr: err.text, output: all.text });
}

let last = Promise.resolve();
process.on("message", (args) => {
  last = last.then(() => run(args));
});
