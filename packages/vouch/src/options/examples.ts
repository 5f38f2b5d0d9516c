import type { Examples } from "./help-layout.js";

/** Explains DATA in `vouch --help`. */
export const ABOUT_DATA =
  "DATA is a file (csv, tsv, xlsx, json, ndjson, parquet, arff, libsvm, idx; also .gz), '-' for standard input, or the name of a data set from 'vouch datasets'.";

/** Examples of the command as a whole. */
export const generalExamples: Examples = [
  ["vouch train breastcancer", "a data set that ships with vouch"],
  ["vouch train customers.csv --target churned", "your own file"],
  ["vouch predict model.safetensors new.csv", "predict the class of new rows"],
  ["vouch certify model.safetensors fresh.csv", "certify the error on new data"],
  ["vouch help adaboost", "a learner and its options"],
];

/** Examples of each command, by its name. */
export const examples: Readonly<Record<string, Examples>> = {
  train: [
    ["vouch train customers.csv --target churned --report churn.html", "also write a report"],
    ["vouch train customers.csv --budget 5m", "search longer for the best learner"],
    ["vouch train data.csv --target y --ignore id --folds 10", "ignore a column; 10-fold cross-validation"],
    ["vouch train adult --learner adaboost --set rounds=200", "one learner with an option"],
    ["vouch train customers.csv --cost Yes:No=5", "missing a Yes costs five times as much as a false alarm"],
    [
      "vouch train customers.csv --metric auc --abstain 5%",
      "optimise the AUC; abstain so that at most 5% of answers are wrong",
    ],
  ],
  predict: [
    ["vouch predict model.safetensors new.csv --out predictions.csv", "one prediction per row"],
    [
      "vouch predict model.safetensors new.csv --keep id --probabilities",
      "with the id of each row and the probability of each class",
    ],
    [
      "vouch predict model.safetensors new.csv --threshold Yes=0.3 --reasons 3",
      "another threshold, and the columns that matter most for each row",
    ],
    ["cat new.json | vouch predict model.safetensors - --format json --json", "in a pipe"],
  ],
  evaluate: [["vouch evaluate model.safetensors labelled.csv", "error, other measures, confusion matrix"]],
  certify: [
    ["vouch certify model.safetensors", "from held-out rows and training"],
    [
      "vouch certify model.safetensors fresh.csv --confidence 0.99",
      "from rows that took no part in training",
    ],
  ],
  worker: [
    ["vouch worker --cluster redis://10.0.0.5:6379", "join with all threads of this machine"],
    [
      "vouch worker --cluster rediss://team:secret@redis.example.com:6380 --threads 8",
      "TLS, a user and a password",
    ],
    ["vouch train data.csv --cluster redis://10.0.0.5:6379", "use the workers, from any machine"],
  ],
  select: [
    [
      "vouch select breastcancer -l adaboost -g rounds=5,20,80 --by cv,srm,margin",
      "choose the number of rounds by three criteria",
    ],
    ["vouch select data.csv -l svm -g C=0.1,1,10 kernel=rbf -l stump --by cv,holdout", "two learners"],
    ["vouch select ionosphere -l adaboost -g rounds=10,100 --out model.safetensors", "save the best one"],
  ],
  compare: [
    ["vouch compare breastcancer", "one learner of each fast kind"],
    [
      "vouch compare data.csv --learners svm,svm:C=10,forest --report duel.html",
      "two settings of one learner, with a report",
    ],
    ["vouch compare adult --learners adaboost,forest --set adaboost.rounds=50", "set an option"],
    ["vouch compare customers.csv --metric log-loss", "by another metric than the error"],
  ],
  inspect: [["vouch inspect model.safetensors", "learner, options, error, structure"]],
  export: [
    ["vouch export model.safetensors --out model.onnx", "for ONNX Runtime: raw rows in"],
    ["vouch export model.safetensors --format libsvm --out svm.model", "for svm-predict"],
    [
      "vouch export model.safetensors --format libsvm --out svm.model --data new.csv --data-out new.libsvm",
      "and encode rows for it",
    ],
  ],
  import: [["vouch import svm.model --format libsvm --out model.safetensors", "from svm-train"]],
  sign: [["vouch sign model.safetensors --key private.pem", "write model.safetensors.sig"]],
  verify: [
    ["vouch verify model.safetensors --key public.pem", "check the file against model.safetensors.sig"],
  ],
  serve: [
    ["vouch serve churn.safetensors", "at http://127.0.0.1:8080, with a page to try it"],
    ["vouch serve models/ --port 9000 --grpc-port 9001", "all models of a folder, also over gRPC"],
    [
      "vouch serve models/ --host 0.0.0.0 --workers 4 --token-file tokens.txt --state state/",
      "open to the network: four processes, tokens, state kept across restarts",
    ],
  ],
  studio: [
    ["vouch studio", "train in a browser, on this computer"],
    ["vouch studio customers.csv", "with a file loaded"],
    ["vouch studio model.safetensors", "look at a model and use it"],
  ],
  datasets: [
    ["vouch datasets", "list data sets"],
    ["vouch datasets get adult", "download one into the cache"],
  ],
  help: [
    ["vouch help", "all commands and learners"],
    ["vouch help svm", "a learner and its options"],
  ],
  completion: [
    ["source <(vouch completion bash)", "bash: add this line to ~/.bashrc"],
    ["source <(vouch completion zsh)", "zsh: add this line to ~/.zshrc, after compinit"],
    ["vouch completion fish > ~/.config/fish/completions/vouch.fish", "fish"],
  ],
};
