#!/bin/bash
cat > /app/worker.py <<'EOF'
import json

import redis

server = redis.Redis()
while (job := server.rpop("jobs")) is not None:
    try:
        found = json.loads(job)
        server.hset("results", found["id"], sum(found["numbers"]))
    except (ValueError, TypeError, KeyError):
        server.lpush("rejected", job)
EOF
redis-cli lpush jobs '{"id": "try", "numbers": [1, 2]}' && python3 /app/worker.py && redis-cli hget results try
