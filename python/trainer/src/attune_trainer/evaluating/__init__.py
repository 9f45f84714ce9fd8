"""Answers to every record of a data set, written line by line, for scoring."""
