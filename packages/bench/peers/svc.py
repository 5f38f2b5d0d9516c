"""
scikit-learn's SVC with a Gaussian kernel on standardised columns, γ = 1 / columns: `fit` times training and the prediction of the
test rows; `predict` trains first and times the prediction of other rows. Arguments: the job, the folder of the rows, columns, C.
"""

import sys

from labelled_rows import LabelledRows
from peer import serve
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

job, folder = sys.argv[1:3]
columns, cost = int(sys.argv[3]), float(sys.argv[4])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "query" if job == "predict" else "test", columns)
scaler = StandardScaler().fit(train.features)
train_rows, test_rows = scaler.transform(train.features), scaler.transform(test.features)


def fit():
    return SVC(C=cost, gamma="scale").fit(train_rows, train.labels)


def accuracy(predictions):
    return {"accuracy %": test.accuracy(predictions)}


if job == "fit":
    serve(lambda: fit().predict(test_rows), accuracy)
else:
    model = fit()
    serve(lambda: model.predict(test_rows), accuracy)
