"""What loom costs, beside what others cost, in one process; see README.md."""
