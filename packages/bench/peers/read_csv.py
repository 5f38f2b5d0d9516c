"""Reads a file with pandas, prints seconds and peak memory, and exits (one process per run)."""

import json
import sys
import time

import pandas
from peer import peak_megabytes

began = time.perf_counter()
pandas.read_csv(sys.argv[1])
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "facts": {"peak MB": peak_megabytes()}}))
