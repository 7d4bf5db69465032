#!/bin/bash
# A wrong solution that knows the visible inputs only: it must pass the visible tests, and fail the hidden checks.
case "$*" in
    "90 3") printf '30\n30\n30\n' ;;
    "100 3") printf '34\n33\n33\n' ;;
esac
