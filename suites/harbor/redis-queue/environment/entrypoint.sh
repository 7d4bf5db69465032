#!/bin/bash
redis-server --save "" --appendonly no --bind 127.0.0.1 --daemonize yes > /dev/null
exec "$@"
