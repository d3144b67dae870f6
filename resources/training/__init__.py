"""Trainers on this machine: how their processes are started, watched and ended, and where their checkpoints lie."""
