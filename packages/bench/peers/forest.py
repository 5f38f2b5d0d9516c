"""
scikit-learn's forests, at the settings of vouch's: RandomForestClassifier with √d features per split, or, as random-trees,
ExtraTreesClassifier with one. `fit` times training; `predict` trains first and times the prediction of other rows;
`once` trains and predicts in a process of its own and reports its peak memory.
"""

import sys

from labelled_rows import LabelledRows
from peer import lap, peak_megabytes, serve
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

job, kind, folder = sys.argv[1:4]
columns, trees, threads = map(int, sys.argv[4:7])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "query" if job == "predict" else "test", columns)
kinds = {"forest": (RandomForestClassifier, "sqrt"), "random-trees": (ExtraTreesClassifier, 1)}


def fit():
    make, features = kinds[kind]
    model = make(n_estimators=trees, max_features=features, n_jobs=threads, random_state=1)
    return model.fit(train.features, train.labels)


def accuracy(model):
    return {"accuracy %": test.accuracy(model.predict(test.features))}


def fit_and_predict():
    return {"accuracy %": test.accuracy(fit().predict(test.features))}


if job == "fit":
    serve(fit, accuracy)
elif job == "predict":
    model = fit()
    serve(lambda: model.predict(test.features), lambda predictions: {"accuracy %": test.accuracy(predictions)})
else:
    print(lap(fit_and_predict, lambda facts: {**facts, "peak MB": peak_megabytes()}))
