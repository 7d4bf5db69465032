#!/bin/bash
# The reference: files that, put over the workspace, solve the task. `tasks check` proves that they do.
(($2 >= 1)) || exit 2
for ((i = 0; i < $2; i++)); do echo $(($1 / $2 + (i < $1 % $2))); done
