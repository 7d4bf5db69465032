import json

print(json.dumps({'users': {'a': 2, 'b': 3}, 'left_out': 1, 'cut': 40.0, 'theta': 1.4988986784140967, 'lift': 6.006424375917769, 'error': 14.30356341701802, 'spared': -0.3337515236158495}))
