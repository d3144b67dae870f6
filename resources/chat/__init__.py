"""Asking a model: one client an endpoint (`client.py`), and each concern of it in a module of its own."""
