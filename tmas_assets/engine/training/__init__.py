"""Training as its processes run it: what they read, how samples are scored, what they save. Dagster starts them, and is not seen here."""
