// Certifies the error of a finished model on labelled rows it has never seen.
//
//     node examples/certify-your-rows.mjs
import { loadDataset } from "@vouch/datasets";
import { adaboost, certify, collectEvidence, trainClassifier } from "vouch";

const { train: table } = await loadDataset("breastcancer");
const everyRow = Array.from({ length: table.rows }, (_, i) => i);
const old = table.select(everyRow.filter((i) => i % 3 !== 0));
const fresh = table.select(everyRow.filter((i) => i % 3 === 0));

const { classifier } = await trainClassifier(old, adaboost({ rounds: 40 }), { run: { seed: 1 } });

const heldOut = await collectEvidence(classifier, fresh);
console.log(`${heldOut.errors} mistakes on ${heldOut.rows} fresh rows`);

// The first certificate is the one to quote. Each lists its terms and its premises.
const [certificate, ...others] = certify(classifier, { confidence: 0.99, heldOut });
console.log(certificate.statement);
for (const [term, value] of Object.entries(certificate.terms)) console.log(`  ${term}: ${value}`);
for (const { text, status } of certificate.premises) console.log(`  ${status}: ${text}`);
for (const { name, statement } of others) console.log(`${name}: ${statement}`);

// Training rows prove nothing about new rows: a model recognises them and refuses to certify.
const again = certify(classifier, { confidence: 0.99, heldOut: await collectEvidence(classifier, old) });
const refused = again.find(({ name }) => name === "held-out-binomial");
console.log(`On the training rows: ${refused.holds ? refused.statement : refused.reason}`);
