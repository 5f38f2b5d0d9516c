import type { Examples } from "./help-layout.js";

/** What `vouch --help` says of DATA, which most commands take. */
export const ABOUT_DATA =
  "DATA is a file (csv, tsv, json, ndjson, parquet, arff, libsvm, idx; also .gz), '-' for standard input, or the name of a catalogued data set.";

/** Examples of the command as a whole. */
export const generalExamples: Examples = [
  ["vouch train breastcancer", "a data set that ships with vouch"],
  ["vouch train customers.csv --target churned", "your own file"],
  ["vouch predict model.safetensors new.csv", "the class of new rows"],
  ["vouch certify model.safetensors fresh.csv", "the error to expect, and why"],
  ["vouch help adaboost", "a learner and its options"],
];

/** Examples of each command, by its name. */
export const examples: Readonly<Record<string, Examples>> = {
  train: [
    ["vouch train customers.csv --target churned --report churn.html", "with a report for the browser"],
    ["vouch train customers.csv --budget 5m", "more time to look for the best learner"],
    ["vouch train data.csv --target y --ignore id --folds 10", "a column left out; error in ten folds"],
    ["vouch train adult --learner adaboost --set rounds=200", "one learner, one of its options set"],
  ],
  predict: [
    ["vouch predict model.safetensors new.csv --out predictions.csv", "a prediction per row"],
    [
      "vouch predict model.safetensors new.csv --keep id --scores",
      "with the id of each row and a score per class",
    ],
    ["cat new.json | vouch predict model.safetensors - --format json --json", "in a pipe"],
  ],
  evaluate: [["vouch evaluate model.safetensors labelled.csv", "error, confusion and other measures"]],
  certify: [
    ["vouch certify model.safetensors", "by what the model knows of its training"],
    ["vouch certify model.safetensors fresh.csv --confidence 0.99", "by rows that it has never seen"],
  ],
  select: [
    [
      "vouch select breastcancer -l adaboost -g rounds=5,20,80 --by cv,srm,margin",
      "how many rounds, by three criteria",
    ],
    ["vouch select data.csv -l svm -g C=0.1,1,10 kernel=rbf -l stump --by cv,holdout", "two learners"],
    ["vouch select ionosphere -l adaboost -g rounds=10,100 --out model.safetensors", "the best one, saved"],
  ],
  compare: [
    ["vouch compare breastcancer", "one learner of each fast kind"],
    [
      "vouch compare data.csv --learners svm,svm:C=10,forest --report duel.html",
      "two settings of one learner",
    ],
    ["vouch compare adult --learners adaboost,forest --set adaboost.rounds=50", "an option set"],
  ],
  inspect: [["vouch inspect model.safetensors", "learner, options, error, structure"]],
  export: [
    ["vouch export model.safetensors --format libsvm --out svm.model", "for svm-predict"],
    [
      "vouch export model.safetensors --format libsvm --out svm.model --data new.csv --data-out new.libsvm",
      "and rows for it",
    ],
  ],
  import: [["vouch import svm.model --format libsvm --out model.safetensors", "from svm-train"]],
  datasets: [
    ["vouch datasets", "what there is, and what is here"],
    ["vouch datasets get adult", "from its public source into the cache"],
  ],
  experiment: [
    ["vouch experiment", "what there is, and what it costs"],
    [
      "vouch experiment deep-cascades/table-1 --scale paper --resume table-1.parts",
      "hours that can be interrupted",
    ],
  ],
  help: [
    ["vouch help", "all commands and learners"],
    ["vouch help svm", "a learner and its options"],
  ],
  completion: [
    ["source <(vouch completion bash)", "bash: a line for ~/.bashrc"],
    ["source <(vouch completion zsh)", "zsh: a line for ~/.zshrc, after compinit"],
    ["vouch completion fish > ~/.config/fish/completions/vouch.fish", "fish"],
  ],
};
