"""A scripted OpenAI-compatible model server: real HTTP, replies that follow from the request's digest."""
