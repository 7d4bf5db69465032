import json

print(json.dumps({'harbour': {'hours': {'2025-03-01T07:00': 1.653125}, 'highest': '2025-03-01T07:00', 'range': 0.0, 'left_out': 2}, 'mole': {'hours': {}, 'highest': None, 'range': None, 'left_out': 1}}))
