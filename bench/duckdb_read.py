"""The yardstick of an audit: DuckDB reads every column of some CSV or Parquet files, one after the other, with all cores.

    python bench/duckdb_read.py FILE...

Prints the seconds of the reading alone as JSON.
"""

import json
import os
import sys
import time

import duckdb

from duckdb_copy import READERS


def main() -> None:
    connection = duckdb.connect(config={"threads": os.cpu_count()})
    begin = time.perf_counter()
    for file in sys.argv[1:]:
        reader = READERS[os.path.splitext(file)[1]]
        # A table in memory, so that no column can be left unread.
        connection.execute(f"CREATE OR REPLACE TEMP TABLE held AS FROM {reader}(?)", [file])
    print(json.dumps({"seconds": time.perf_counter() - begin}))


if __name__ == "__main__":
    main()
