"""Runs code that a model wrote, so that it can harm neither the machine nor its own verdict. Linux only."""
