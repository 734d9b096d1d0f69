"""The yardstick: DuckDB copies one file, CSV to CSV or Parquet to Parquet, with all cores.

    python bench/duckdb_copy.py SOURCE DEST

Prints the seconds of the copy alone as JSON: starting Python and loading DuckDB are not held against it.
"""

import json
import os
import sys
import time

import duckdb

READERS = {".csv": "read_csv", ".parquet": "read_parquet"}
WRITERS = {".csv": "FORMAT csv, HEADER", ".parquet": "FORMAT parquet"}


def main() -> None:
    source, dest = sys.argv[1:]
    extension = os.path.splitext(source)[1]
    connection = duckdb.connect(config={"threads": os.cpu_count()})
    begin = time.perf_counter()
    connection.execute(f"COPY (FROM {READERS[extension]}(?)) TO '{dest}' ({WRITERS[extension]})", [source])
    print(json.dumps({"seconds": time.perf_counter() - begin}))


if __name__ == "__main__":
    main()
