"""Tests of the engine llamafactory: `python -m unittest` in python/llamafactory, with the environment of
`npm run setup:python-llamafactory` and the sources of both packages on PYTHONPATH."""
