"""The call log: every reply durable before it is used (`call_log.py`)."""
