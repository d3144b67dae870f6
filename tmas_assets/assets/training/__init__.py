"""Assets of training runs: checkpoints, with all that led to them."""
