"""The same self-consistency workload in other tools and in ours; `bench/self_consistency_beside.py` runs it."""
