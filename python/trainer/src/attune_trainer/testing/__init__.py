"""Small models and data for tests: made on the spot, without a hub."""
