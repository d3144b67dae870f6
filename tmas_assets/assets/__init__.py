"""The asset chain of an experiment, its campaign job, and what stands beside them."""
