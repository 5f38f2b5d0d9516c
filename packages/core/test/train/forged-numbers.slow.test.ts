import { beforeAll, describe, expect, it } from "vitest";
import { certify } from "#core/train/certify.js";
import { deserialise } from "#core/train/model-file.js";
import { type FileParts, fileOf, fileParts } from "./edited-file.js";
import { type OriginalModel, originalModels } from "./original-models.js";

let originals: OriginalModel[];

beforeAll(async () => {
  originals = await originalModels();
});

/** Takes apart the first original of a learner whose description has a text. */
function partsOf(learner: string, text: string): FileParts {
  const found = originals
    .filter(({ name }) => name.endsWith(learner))
    .map(({ bytes }) => fileParts(bytes))
    .find(({ content }) => JSON.stringify(content).includes(text));
  if (!found) throw new Error(`No original of ${learner} has ${text}.`);
  return found;
}

/** Makes a file with another text in its description. */
async function replaced(learner: string, text: string, by: string): Promise<Uint8Array<ArrayBuffer>> {
  const { content, tensors } = partsOf(learner, text);
  return fileOf({ content: JSON.parse(JSON.stringify(content).replace(text, by)), tensors });
}

describe("numbers beyond what training could have produced", () => {
  it.each([
    ["svm", '"kind":"polynomial","degree":3', '"kind":"polynomial","degree":1e15'],
    ["perceptron", '"kind":"polynomial","degree":2', '"kind":"polynomial","degree":101'],
    ["relaxed-hierarchy", '"kind":"polynomial","degree":3', '"kind":"polynomial","degree":2000000000'],
    ["deep-cascade-perceptron", '"mostLeaves":3', '"mostLeaves":1e9'],
    ["deep-cascade-perceptron", '"mostLeaves":3', '"mostLeaves":65'],
    ["tree", '"grownLeaves":', '"grownLeaves":2147483648,"unused":'],
    ["logistic", '"iterations":', '"iterations":100001,"unused":'],
    ["svm", '"convergence":{"tolerance":0.001', '"convergence":{"tolerance":0.6'],
    ["mlp", '"learningRate":0.001,"weights"', '"learningRate":2e6,"weights"'],
    ["stump", '"among":3', '"among":1e15'],
  ])("are refused: %s with %s", async (learner, text, by) => {
    await expect(deserialise(await replaced(learner, text, by))).rejects.toMatchObject({
      code: "model/corrupt",
    });
  });
});

describe("numbers at their extremes", () => {
  it("cost no more than usual ones: certificates of two billion groups", async () => {
    const { content, tensors } = partsOf("stump", '"farm"');
    const many = JSON.stringify(content).replaceAll(/"groups":\d+/g, '"groups":2147483647');
    const classifier = await deserialise(await fileOf({ content: JSON.parse(many), tensors }));
    const values = certify(classifier, { confidence: 0.95 }).map(({ value }) => value);
    expect(values.length).toBeGreaterThan(0);
    expect(values.some(Number.isNaN)).toBe(false);
  });
});

describe("trees", () => {
  it("of a file are trees: two nodes never share a child", async () => {
    const { content, tensors } = partsOf("tree", '"prune":"none"');
    const name = "model.trees.nodes";
    const nodes = tensors.get(name);
    if (!nodes) throw new Error("There are no nodes.");
    const words = new Int32Array(nodes.bytes.slice().buffer);
    const splits = Array.from({ length: words.length / 2 }, (_, node) => node).filter(
      (node) => words[2 * node + 1] >= 0,
    );
    // Children come after their parents: a split may take over the child of a later one.
    const [first, second] = [splits[0], splits[splits.length - 1]];
    expect(first).toBeLessThan(second);
    words[2 * first] = words[2 * second];
    const shared = new Map(tensors).set(name, { ...nodes, bytes: new Uint8Array(words.buffer) });
    await expect(deserialise(await fileOf({ content, tensors: shared }))).rejects.toMatchObject({
      code: "model/corrupt",
    });
  });
});
