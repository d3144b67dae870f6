"""The `digest` column of a call log that was begun before there was one: added when the log is opened, and filled once.

What stands in the log at that moment is taken for what was written: changes are found from then on. Safe with several processes: who
comes second finds the column there. Leaves out what the digests are compared with (`call_audit.py`).
"""

from collections.abc import Sequence

import sqlalchemy as sa

from tmas_assets.records import digest_bytes

STARTING = 0x7A51_C411
"""Key of the Postgres advisory lock under which tables are made and changed."""


def add_digests(engine: sa.Engine, tables: Sequence[sa.Table]) -> None:
    """In one transaction a table: a process that is killed leaves it as it was."""
    lacking = [table for table in tables if not _has(engine, table)]
    for table in lacking:
        with engine.connect() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(STARTING)))
                computed = "encode(sha256(convert_to(body, 'UTF8')), 'hex')"
            else:
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # the driver begins none by itself for a change of a table
                driver = connection.connection.driver_connection
                assert driver is not None
                driver.create_function("tmas_sha256", 1, lambda body: digest_bytes(body.encode()), deterministic=True)
                computed = "tmas_sha256(body)"
            if not _has(connection, table):  # another process may have come first
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN digest TEXT")
                connection.exec_driver_sql(f"UPDATE {table.name} SET digest = {computed}")
            connection.commit()


def _has(bind: sa.Engine | sa.Connection, table: sa.Table) -> bool:
    return any(column["name"] == "digest" for column in sa.inspect(bind).get_columns(table.name))
