"""Trains with LLaMA-Factory for Attune's node agent: the same specification, data, events and checkpoints as attune_trainer's."""
