"""pandas' read_csv of one file; prints its seconds and its peak memory, then ends (one process per run)."""

import json
import sys
import time

import pandas
from peer import peak_megabytes

began = time.perf_counter()
pandas.read_csv(sys.argv[1])
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "facts": {"peak MB": peak_megabytes()}}))
