import { didYouMean } from "./suggestions.js";

/** The words of other libraries for what is named here, without case, spaces and punctuation; the first that exists is meant. */
const SYNONYMS = {
  learner: {
    forest: "randomforest randomforestclassifier rf ranger extratrees extratreesclassifier bagging",
    "boosted-trees":
      "gradientboosting gradientboostingclassifier histgradientboosting histgradientboostingclassifier gbm gbdt xgboost xgb xgbclassifier lightgbm lgbm lgbmclassifier catboost catboostclassifier",
    mlp: "neuralnetwork neuralnet nn network mlpclassifier dnn keras pytorch",
    svm: "svc supportvectormachine rbfsvm libsvm nusvc",
    "linear-svm": "linearsvc liblinear sgdclassifier sgd",
    logistic: "logisticregression logisticregressioncv logit glm glmnet softmax maxent elasticnet",
    tree: "decisiontree decisiontreeclassifier cart rpart",
    adaboost: "adaboostclassifier boosting",
    perceptron: "kernelperceptron",
    "cascade-forest": "deepforest df21",
    majority: "baseline dummy dummyclassifier zeror constant",
    ensemble: "stacking stackingclassifier voting votingclassifier blending autogluon automl",
    "one-vs-one": "onevsoneclassifier ovo",
    "one-vs-rest": "onevsrestclassifier ovr onevsall",
  },
  metric: {
    error: "accuracy acc accuracyscore errorrate misclassification zeroone zerooneloss",
    "balanced-error": "balancedaccuracy balancedaccuracyscore bacc recallmacro macrorecall",
    auc: "rocauc aucroc auroc rocaucscore rocaucovr gini",
    "log-loss": "logloss crossentropy neglogloss deviance nll loglikelihood",
    brier: "brierscore brierscoreloss negbrierscore mse",
    f1: "f1score f1macro f1weighted f1micro macrof1 fscore fmeasure recall precision averageprecision prauc",
    cost: "costs utility profit",
  },
  option: {
    trees: "nestimators ntree ntrees numtrees estimators",
    rounds: "nestimators iterations numround numrounds numboostround nrounds boostingrounds trees ntrees",
    maxDepth: "depth maxtreedepth",
    learningRate: "eta lr learningrateinit shrinkage stepsize",
    layers: "hiddenlayersizes hiddenlayers hiddenunits hidden units",
    epochs: "maxiter iterations maxepochs niter",
    maxIterations: "maxiter iterations niter",
    maxPasses: "maxiter iterations maxiterations niter",
    minLeafRows: "minsamplesleaf minnodesize mindatainleaf minbucket minleafsize",
    minSplitRows: "minsamplessplit minsplit",
    featuresPerSplit: "maxfeatures mtry colsamplebynode",
    columnsPerSplit: "maxfeatures mtry colsamplebynode colsamplebylevel featurefraction",
    columnsPerTree: "colsamplebytree featurefraction colsample",
    rowsPerTree: "subsample maxsamples baggingfraction samplesize",
    lambda: "reglambda l2 l2leafreg l2regularization",
    gamma: "minsplitgain minsplitloss",
    weightDecay: "alpha l2",
    C: "cost regularization regparam lambda alpha",
    patience: "earlystoppingrounds niternochange earlystopping odwait",
    validation: "validationfraction validationsplit",
    classWeights: "classweight scaleposweight weights",
    optimiser: "optimizer solver",
    criterion: "splitter impurity splitrule",
    tolerance: "tol epsilon",
    l1Ratio: "mixture",
    penalty: "regularisation",
    prune: "ccpalpha cp",
  },
} as const;

/**
 * Suggests one of the known names for an unknown one: the name here for a word of another library, or else the name that is
 * nearest in spelling. Returns undefined if there is neither.
 */
export function suggestName(
  of: keyof typeof SYNONYMS,
  name: string,
  known: readonly string[],
): string | undefined {
  const plain = plainWord(name);
  const words: Readonly<Record<string, string>> = SYNONYMS[of];
  const meant =
    known.find((one) => plainWord(one) === plain) ??
    known.find((one) => Object.hasOwn(words, one) && words[one].split(" ").includes(plain));
  return didYouMean(meant ?? name, known);
}

function plainWord(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
