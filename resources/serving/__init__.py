"""Model servers of our own: leased (`vllm_server.py`), kept (`server_keeper.py`), and the default model they serve."""
