#!/bin/bash
/opt/venv/bin/pip install --quiet uv==0.8.3
export UV_PYTHON=/usr/bin/python3
python3 -m venv /opt/fresh
/opt/venv/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /tmp/wheels /app
/opt/fresh/bin/pip install --quiet /tmp/wheels/slugs-1.2.0-*.whl
uvx --quiet --from pytest==8.4.1 pytest -q -p no:cacheprovider /tests/test_outputs.py
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
