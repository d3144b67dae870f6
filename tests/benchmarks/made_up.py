"""Files in the shape of the gated data sets, with rows made up here: the real ones may not be copied."""

import csv
import io
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq

from tmas_assets.benchmarks.hle_math_100 import wanted_ids

GPQA_COLUMNS = (
    "Record ID", "Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3",
    "Explanation", "High-level domain",
)  # fmt: skip


def gpqa_rows(count=198):
    return [
        {
            "Record ID": f"rec{number:014d}",
            "Question": f'Question {number}, "quoted",\nwith two lines?',
            "Correct Answer": f"right {number}\n",
            **{f"Incorrect Answer {wrong}": f" wrong {number}.{wrong}" for wrong in (1, 2, 3)},
            "Explanation": "made up",
            "High-level domain": "Physics",
        }
        for number in range(count)
    ]


def gpqa_csv(rows=None, columns=GPQA_COLUMNS):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(gpqa_rows() if rows is None else rows)
    return out.getvalue().encode()


def hle_rows():
    """Every wanted row and some others, in another order; every fifth is multiple choice."""
    rows = []
    for number, id_ in enumerate([*reversed(wanted_ids()), "f" * 24, "0" * 24]):
        choice = number % 5 == 0
        options = "\n\nAnswer Choices:\nA. one\nB. two\nC. three" if choice else ""
        rows.append(
            {
                "id": id_,
                "question": f"What is {number} + 1?{options}",
                "image": "" if len(rows) < 100 else "data:image/png;base64,AAAA",
                "image_preview": None,
                "answer": "B" if choice else f"${number + 1}$",
                "answer_type": "multipleChoice" if choice else "exactMatch",
                "author_name": "nobody",
                "rationale": "made up",
                "raw_subject": "Mathematics",
                "category": "Math",
                "canary": "made up",
            }
        )
    return rows


def parquet(rows):
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


@cache
def hle_parquet():
    return parquet(hle_rows())
