/** One epoch of a network of dense layers in TensorFlow.js on its WebAssembly backend. */
const { readFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const { dirname } = require("node:path");
const tf = require("@tensorflow/tfjs");
const wasm = require("@tensorflow/tfjs-backend-wasm");

const [folder, rowsText, sizesText, batchText, rateText, threadsText] = process.argv.slice(2);
const [rows, batchSize, rate, threads] = [rowsText, batchText, rateText, threadsText].map(Number);
const sizes = sizesText.split(",").map(Number);

/** The bytes of a file as numbers. */
function numbers(name, Type) {
  const bytes = readFileSync(`${folder}/${name}`);
  return new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function network() {
  const model = tf.sequential();
  sizes.slice(1).forEach((units, l) => {
    const last = l === sizes.length - 2;
    model.add(tf.layers.dense({ units, inputShape: [sizes[l]], activation: last ? "sigmoid" : "relu" }));
  });
  model.layers.forEach((layer, l) => {
    const weights = tf.tidy(() =>
      tf.tensor2d(numbers(`weights${l}`, Float32Array), [sizes[l + 1], sizes[l]]).transpose(),
    );
    layer.setWeights([weights, tf.zeros([sizes[l + 1]])]);
  });
  model.compile({ optimizer: tf.train.sgd(rate), loss: "binaryCrossentropy" });
  return model;
}

async function main() {
  wasm.setWasmPaths(`${dirname(require.resolve("@tensorflow/tfjs-backend-wasm"))}/`);
  wasm.setThreadsCount(threads);
  await tf.setBackend("wasm");
  await tf.ready();
  const X = tf.tensor2d(numbers("features", Float32Array), [rows, sizes[0]]);
  const y = tf.tensor2d(Float32Array.from(numbers("labels", Int32Array)), [rows, 1]);
  for await (const _ of createInterface({ input: process.stdin })) {
    const began = performance.now();
    const model = network();
    const { history } = await model.fit(X, y, {
      batchSize,
      epochs: 1,
      shuffle: true,
      verbose: 0,
      yieldEvery: "never",
    });
    const seconds = (performance.now() - began) / 1000;
    model.dispose();
    console.log(JSON.stringify({ seconds, facts: { loss: Number(history.loss[0]) } }));
  }
}

main();
