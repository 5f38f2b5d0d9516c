"""scikit-learn's SVC with the polynomial kernel (1 + scale · x·y)^degree: LIBSVM's solver on dense rows."""

import sys

import numpy as np
from peer import serve
from sklearn.svm import SVC

features, labels, rows, columns = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
degree, scale, cost, megabytes = int(sys.argv[5]), float(sys.argv[6]), float(sys.argv[7]), float(sys.argv[8])
X = np.fromfile(features, dtype="<f8").reshape(rows, columns)
y = np.fromfile(labels, dtype="<i4")


def work():
    model = SVC(C=cost, kernel="poly", degree=degree, gamma=scale, coef0=1, tol=1e-3, cache_size=megabytes)
    model.fit(X, y)
    return {"support vectors": int(model.n_support_.sum())}


serve(work)
