"""Tests of the trainer: `python -m unittest` in python/trainer, with the environment of `npm run setup:python`."""
