#!/bin/bash
python3 /opt/service.py &
nginx
exec "$@"
