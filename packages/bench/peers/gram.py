"""numpy's Gram matrix X Xᵀ, computed by syrk of its BLAS."""

import sys

import numpy as np
from peer import serve

file, rows, columns, dtype = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
X = np.fromfile(file, dtype="<f8").reshape(rows, columns).astype(dtype)


def work():
    X @ X.T


serve(work)
