"""scikit-learn's AdaBoost on depth-1 trees: discrete (SAMME), as in Algorithm 1 of the thesis."""

import sys
import warnings

import numpy as np
from peer import serve
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

warnings.filterwarnings("ignore")
features, labels, rows, columns, rounds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
X = np.fromfile(features, dtype="<f8").reshape(rows, columns)
y = np.fromfile(labels, dtype="<i4")


def work():
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds, algorithm="SAMME")
    model.fit(X, y)
    return {"training error %": 100 * float(np.mean(model.predict(X) != y))}


serve(work)
