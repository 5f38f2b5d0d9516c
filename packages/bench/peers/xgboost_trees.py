"""
XGBoost's trees from histograms, at the settings of vouch's boosted trees: binning and training are timed, as
there. Arguments: the folder of the rows, columns, rounds, threads.
"""

import sys

import xgboost
from labelled_rows import LabelledRows
from peer import serve

folder = sys.argv[1]
columns, rounds, threads = map(int, sys.argv[2:5])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "test", columns)
classes = int(train.labels.max()) + 1
loss = {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}
settings = {**loss, "tree_method": "hist", "max_depth": 6, "eta": 0.1, "nthread": threads, "seed": 1}


def fit():
    rows = xgboost.DMatrix(train.features, label=train.labels, nthread=threads)
    return xgboost.train(settings, rows, num_boost_round=rounds)


def accuracy(model):
    scores = model.predict(xgboost.DMatrix(test.features, nthread=threads))
    return {"accuracy %": test.accuracy(scores > 0.5 if classes == 2 else scores.argmax(axis=1))}


serve(fit, accuracy)
