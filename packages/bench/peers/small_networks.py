"""scikit-learn's MLPClassifier with its defaults on splits that the benchmark has written."""

import json
import sys
import warnings

import numpy as np
from peer import serve
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("ignore")
with open(f"{sys.argv[1]}/splits.json") as file:
    splits = json.load(file)
standardised = len(sys.argv) > 2


def work():
    errors = []
    for seed, split in enumerate(splits):
        (train, train_labels), (test, test_labels) = [
            (np.transpose(part["features"]), part["labels"]) for part in (split["train"], split["test"])
        ]
        network = MLPClassifier(random_state=seed)
        model = make_pipeline(StandardScaler(), network) if standardised else network
        errors.append(1 - model.fit(train, train_labels).score(test, test_labels))
    return {"error %": 100 * float(np.mean(errors))}


serve(work)
