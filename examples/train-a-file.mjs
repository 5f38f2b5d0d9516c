// What `vouch train FILE` does, in one call: the best learner within the budget, a verdict and a certificate.
//
//     node examples/train-a-file.mjs [FILE] [SECONDS]
import { describeVerdict, train } from "vouch";

const [file = "breastcancer", seconds = "10"] = process.argv.slice(2);
const { verdict, certificates } = await train(file, { budget: Number(seconds) });
console.log(describeVerdict(verdict).verdict);
console.log(certificates[0].statement);
