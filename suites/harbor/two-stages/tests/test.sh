#!/bin/bash
apt-get update && apt-get install -y --no-install-recommends python3-venv
python3 -m venv /opt/judge && /opt/judge/bin/pip install --quiet pytest==8.4.1
/opt/judge/bin/pytest -q -p no:cacheprovider /tests/test_outputs.py
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
