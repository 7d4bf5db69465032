"""Small faults for the references of tasks, by which hidden checks are measured."""
