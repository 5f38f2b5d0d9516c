"""scikit-learn's LogisticRegression on rows that the benchmark has written: dense, or sparse if there are indices."""

import os
import sys
import warnings

import numpy as np
import scipy.sparse as sparse
from peer import serve
from sklearn.linear_model import LogisticRegression

folder, columns, C, l1_ratio = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
minimum, solver, tolerance = float(sys.argv[5]), sys.argv[6], float(sys.argv[7])
warnings.filterwarnings("ignore")

labels = np.fromfile(f"{folder}/train.labels", dtype="<i4")
values = np.fromfile(f"{folder}/train.values", dtype="<f8")
if os.path.exists(f"{folder}/train.indices"):
    starts = np.fromfile(f"{folder}/train.starts", dtype="<i4")
    indices = np.fromfile(f"{folder}/train.indices", dtype="<i4")
    features = sparse.csr_matrix((values, indices, starts), shape=(len(labels), columns))
else:
    features = values.reshape(len(labels), columns)


def work():
    penalty = {0: "l2", 1: "l1"}.get(l1_ratio, "elasticnet")
    mixed = {"l1_ratio": l1_ratio} if penalty == "elasticnet" else {}
    return LogisticRegression(
        C=C, penalty=penalty, solver=solver, tol=tolerance, max_iter=100_000, **mixed
    ).fit(features, labels)


def facts_of(model):
    scores = np.asarray(features @ model.coef_.T) + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    largest = scores.max(axis=1, keepdims=True)
    losses = np.log(np.exp(scores - largest).sum(axis=1)) + largest[:, 0] - scores[np.arange(len(labels)), labels]
    penalty = (1 - l1_ratio) / 2 * (model.coef_**2).sum() + l1_ratio * np.abs(model.coef_).sum()
    excess = 1e6 * (float(C * losses.sum() + penalty) / minimum - 1)
    return {"excess": excess, "iterations": int(np.max(model.n_iter_))}


serve(work, facts_of)
