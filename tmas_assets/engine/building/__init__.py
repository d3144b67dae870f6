"""Building data sets: the steps from sources to rows that touch the store, graders and models."""
