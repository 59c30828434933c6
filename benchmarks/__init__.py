"""What the package does, measured: `python -m benchmarks.NAME --json`."""
