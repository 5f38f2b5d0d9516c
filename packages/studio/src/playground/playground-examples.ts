import { initialState, type PlaygroundState, writeHash } from "./playground-state.js";

/** A state of the playground that shows how a learner works. */
export interface PlaygroundExample {
  readonly learner: string;
  /** Sentence about what to look at. */
  readonly see: string;
  readonly state: PlaygroundState;
}

function example(
  learner: string,
  see: string,
  part: Partial<Omit<PlaygroundState, "learner">> = {},
): PlaygroundExample {
  return { learner, see, state: { ...initialState, ...part, learner } };
}

const twoCircles = { problem: "circles", classes: 2, noise: 0.15 } as const;
/** Small networks without early stopping, which a few held-out rows would end too soon. */
const allEpochs = { layers: "16,16", epochs: "60", patience: "0", learningRate: "0.03" } as const;

/** Shallow trees leave work to the next layers: no single tree can solve this problem. */
const shallowTrees = {
  problem: "xor",
  noise: 0.1,
  settings: { trees: "10", maxDepth: "2", layers: "6" },
} as const;
const fourBlobs = { problem: "blobs", classes: 4, noise: 0.22 } as const;

/** An example for each learner, simplest first; the documentation links to them. */
export const playgroundExamples: readonly PlaygroundExample[] = [
  example("majority", "One class everywhere: the error that other learners must beat."),
  example("stump", "One cut at the best place."),
  example("tree", "Regions are divided level by level.", { problem: "xor", noise: 0.1 }),
  example("adaboost", "Each round adds a stump, and the votes of all of them make the region.", {
    ...twoCircles,
    settings: { rounds: "40" },
  }),
  example("perceptron", "A curve of degree two between the moons."),
  example("linear-svm", "A line with a large margin for each class against the others.", fourBlobs),
  example("logistic", "Probabilities fade towards the boundary.", fourBlobs),
  example("svm", "A Gaussian kernel bends the boundary around the arms of the spirals.", {
    problem: "spirals",
    classes: 2,
    noise: 0.05,
  }),
  example(
    "relaxed-hierarchy",
    "Each node divides the classes in two sides and may ignore some: choose a node.",
    {
      problem: "blobs",
      classes: 5,
      noise: 0.25,
    },
  ),
  example("forest", "Steps of single trees become a smooth boundary as trees are averaged."),
  example("random-trees", "Random cuts alone give a smooth boundary when many trees are averaged."),
  example("boosted-trees", "Each round mends what is left of the error.", {
    problem: "spirals",
    classes: 3,
    noise: 0.05,
    settings: { rounds: "60" },
  }),
  example("mlp", "The boundary bends epoch by epoch.", { settings: allEpochs }),
  example("sae", "Layers are pre-trained as autoencoders, then the boundary is learned.", {
    settings: { ...allEpochs, layers: "32", epochs: "200", inputs: "standard" },
  }),
  example("dbn", "Layers are pre-trained as Boltzmann machines, then the boundary is learned.", {
    settings: { ...allEpochs, layers: "64,32", epochs: "150", learningRate: "0.01", visible: "gaussian" },
  }),
  example(
    "deep-cascade",
    "Gates pass some of the points on, and each leaf decides what is left to it: choose a gate.",
    {
      problem: "spirals",
      classes: 2,
      noise: 0.05,
      settings: { topology: "tree" },
    },
  ),
  example("deep-cascade-perceptron", "Points near the boundary of one perceptron go on to the next.", {
    problem: "circles",
    classes: 3,
    noise: 0.08,
  }),
  example("deep-cascade-svm", "Points near the boundary of one machine go on to the next.", twoCircles),
  example(
    "cascade-forest",
    "Each layer sees the predictions of the one before, and mends its errors.",
    shallowTrees,
  ),
  example("gcforest", "Without images to scan it is a cascade of forests.", shallowTrees),
  example("mddf", "Margins grow from layer to layer: watch the colours get stronger.", {
    problem: "spirals",
    classes: 3,
    noise: 0.05,
    settings: { ...shallowTrees.settings, maxDepth: "3" },
  }),
  example("one-vs-one", "One machine for each pair of classes votes.", fourBlobs),
  example("one-vs-rest", "One machine for each class against all others.", fourBlobs),
  example("dag-svm", "A path through pairs of classes leaves one class.", fourBlobs),
  example("ensemble", "Several learners are weighted by their out-of-fold errors.", { rows: 120 }),
];

/** Returns the hash of a learner's example. */
export function exampleHash({ state }: PlaygroundExample): string {
  return writeHash(state);
}
