#!/bin/bash
# The usual head of a Harbor test: the runner is fetched when the work is done.
apt-get update
apt-get install -y --no-install-recommends python3-pip python3-venv ca-certificates
pip install --break-system-packages --quiet uv
cd /tests
uvx --quiet --from pytest==8.4.1 pytest -q -rA /tests/test_outputs.py
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
