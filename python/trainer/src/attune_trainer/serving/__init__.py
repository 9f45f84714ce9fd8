"""A model that answers: loading, generation and the worker that speaks JSON lines."""
