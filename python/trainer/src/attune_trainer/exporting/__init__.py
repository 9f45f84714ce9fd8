"""A trained model in the forms that other programs read: merged, GGUF, for Ollama, for vLLM."""
