"""
LIBLINEAR's dual solvers (-s 1 and -s 3): the library behind train (Debian: liblinear-tools), called directly, so that
no text file is read or written.
"""

import ctypes
import sys

import numpy as np
from peer import serve

folder, columns, solver = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
cost, tolerance, bias = float(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])

NODE = np.dtype({"names": ["index", "value"], "formats": ["<i4", "<f8"], "offsets": [0, 8], "itemsize": 16})

library = ctypes.CDLL("liblinear.so.4")
version = ctypes.c_int.in_dll(library, "liblinear_version").value


class Problem(ctypes.Structure):
    """struct problem of linear.h"""

    _fields_ = [
        ("l", ctypes.c_int),
        ("n", ctypes.c_int),
        ("y", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("bias", ctypes.c_double),
    ]


class Parameter(ctypes.Structure):
    """struct parameter of linear.h, which differs between versions"""

    _fields_ = [
        ("solver_type", ctypes.c_int),
        ("eps", ctypes.c_double),
        ("C", ctypes.c_double),
        ("nr_weight", ctypes.c_int),
        ("weight_label", ctypes.c_void_p),
        ("weight", ctypes.c_void_p),
        ("p", ctypes.c_double),
        *([("nu", ctypes.c_double)] if version >= 240 else []),
        ("init_sol", ctypes.c_void_p),
        *([("regularize_bias", ctypes.c_int)] if version >= 242 else []),
    ]


def read(part):
    """Rows as train reads them: (index from 1, value) of every entry, then the bias, then (−1, 0); and class indices."""
    starts = np.fromfile(f"{folder}/{part}.starts", dtype="<i4").astype("i8")
    counts = np.diff(starts)
    rows = len(counts)
    begins = np.concatenate([[0], np.cumsum(counts + 2)])
    nodes = np.zeros(begins[-1], NODE)
    places = np.arange(starts[-1]) + np.repeat(2 * np.arange(rows), counts)
    nodes["index"][places] = np.fromfile(f"{folder}/{part}.indices", dtype="<i4") + 1
    nodes["value"][places] = np.fromfile(f"{folder}/{part}.values", dtype="<f8")
    nodes["index"][begins[1:] - 2] = columns + 1
    nodes["value"][begins[1:] - 2] = bias
    nodes["index"][begins[1:] - 1] = -1
    addresses = (nodes.ctypes.data + NODE.itemsize * begins[:-1]).astype("u8")
    labels = np.fromfile(f"{folder}/{part}.labels", dtype="<i4").astype("f8")
    return nodes, addresses, labels


library.train.restype = ctypes.c_void_p
library.predict.restype = ctypes.c_double
library.predict.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.free_and_destroy_model.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda _: None)
library.set_print_string_function(quiet)

nodes, addresses, labels = read("train")
test_nodes, test_addresses, test_labels = read("test")
problem = Problem(len(labels), columns + 1, labels.ctypes.data, addresses.ctypes.data, bias)
parameter = Parameter(solver_type=solver, eps=tolerance, C=cost, p=0.1, nu=0.5, regularize_bias=1)


def work():
    return ctypes.c_void_p(library.train(ctypes.byref(problem), ctypes.byref(parameter)))


def facts_of(model):
    right = sum(library.predict(model, int(x)) == y for x, y in zip(test_addresses, test_labels))
    library.free_and_destroy_model(ctypes.byref(model))
    return {"accuracy": 100 * right / len(test_labels)}


serve(work, facts_of)
