"""The assets of data sets: `<set>/<step>`, unpartitioned, each a file of rows with what was dropped and why."""
