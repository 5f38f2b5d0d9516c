"""Training and test rows that the benchmark has written into a folder, in single precision, by rows."""

from dataclasses import dataclass

import numpy as np


@dataclass
class LabelledRows:
    """Rows and the class index of each."""

    features: np.ndarray
    labels: np.ndarray

    @staticmethod
    def read(folder, part, columns):
        """Reads the rows of `train` or `test`."""
        labels = np.fromfile(f"{folder}/{part}.labels", dtype="<i4")
        features = np.fromfile(f"{folder}/{part}.features", dtype="<f4")
        return LabelledRows(features.reshape(len(labels), columns), labels)

    def accuracy(self, predictions):
        """Computes the accuracy in per cent."""
        return 100 * float(np.mean(predictions == self.labels))
