"""The same rows as a JSONL, a CSV and a parquet file."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def csv_file(rows):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def parquet(columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def parquet_of(rows):
    return parquet({name: [row[name] for row in rows] for name in rows[0]})


WRITERS = {"jsonl": jsonl, "csv": csv_file, "parquet": parquet_of}
