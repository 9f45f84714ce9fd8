/** A worker for tests that ends before it is ready. */
process.stderr.write("no licence found\n");
process.exit(3);
