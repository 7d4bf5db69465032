#!/bin/bash
# Sharing money. Files in environment/workspace are what the agent starts with; the tests that it sees are among them.
for ((i = 0; i < $2; i++)); do echo $(($1 / $2)); done
