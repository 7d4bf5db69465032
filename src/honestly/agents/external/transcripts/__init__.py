"""The record that each program keeps of its own, one file a program."""
