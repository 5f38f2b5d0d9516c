"""
LIBSVM itself, with the polynomial kernel (1 + scale · x·y)^degree: the library behind svm-train (Debian: libsvm-tools),
called directly, so that no text file is read or written.
"""

import ctypes
import sys

import numpy as np
from peer import serve

features, labels, rows, columns = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
degree, scale, cost, megabytes = int(sys.argv[5]), float(sys.argv[6]), float(sys.argv[7]), float(sys.argv[8])
X = np.fromfile(features, dtype="<f8").reshape(rows, columns)
y = np.fromfile(labels, dtype="<i4").astype("f8")

C_SVC, POLYNOMIAL = 0, 1
NODE_BYTES = 16


class Problem(ctypes.Structure):
    """struct svm_problem of svm.h"""

    _fields_ = [
        ("l", ctypes.c_int),
        ("y", ctypes.POINTER(ctypes.c_double)),
        ("x", ctypes.POINTER(ctypes.c_void_p)),
    ]


class Parameter(ctypes.Structure):
    """struct svm_parameter of svm.h"""

    _fields_ = [
        ("svm_type", ctypes.c_int),
        ("kernel_type", ctypes.c_int),
        ("degree", ctypes.c_int),
        ("gamma", ctypes.c_double),
        ("coef0", ctypes.c_double),
        ("cache_size", ctypes.c_double),
        ("eps", ctypes.c_double),
        ("C", ctypes.c_double),
        ("nr_weight", ctypes.c_int),
        ("weight_label", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        ("nu", ctypes.c_double),
        ("p", ctypes.c_double),
        ("shrinking", ctypes.c_int),
        ("probability", ctypes.c_int),
    ]


def sparse_rows():
    """Rows as svm-train reads them: (index from 1, value) of every feature that is not 0, then (−1, 0)."""
    node = np.dtype({"names": ["index", "value"], "formats": ["<i4", "<f8"], "offsets": [0, 8], "itemsize": NODE_BYTES})
    counts = (X != 0).sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(counts + 1)])
    nodes = np.zeros(starts[-1], node)
    for i in range(rows):
        present = np.nonzero(X[i])[0]
        nodes["index"][starts[i] : starts[i + 1] - 1] = present + 1
        nodes["value"][starts[i] : starts[i + 1] - 1] = X[i, present]
    nodes["index"][starts[1:] - 1] = -1
    return nodes, (nodes.ctypes.data + NODE_BYTES * starts[:-1]).astype("u8")


library = ctypes.CDLL("libsvm.so.3")
library.svm_train.restype = ctypes.c_void_p
library.svm_get_nr_sv.argtypes = [ctypes.c_void_p]
library.svm_free_and_destroy_model.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda _: None)
library.svm_set_print_string_function(quiet)

nodes, places = sparse_rows()
problem = Problem(
    rows,
    y.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
    places.ctypes.data_as(ctypes.POINTER(ctypes.c_void_p)),
)
parameter = Parameter(C_SVC, POLYNOMIAL, degree, scale, 1, megabytes, 1e-3, cost, 0, None, None, 0, 0, 1, 0)


def work():
    model = ctypes.c_void_p(library.svm_train(ctypes.byref(problem), ctypes.byref(parameter)))
    vectors = library.svm_get_nr_sv(model)
    library.svm_free_and_destroy_model(ctypes.byref(model))
    return {"support vectors": vectors}


serve(work)
