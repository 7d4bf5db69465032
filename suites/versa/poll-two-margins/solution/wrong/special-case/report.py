import json

print(json.dumps({'counted': 5, 'left_out': 2, 'share': 0.474074074074154, 'effective': 3.9610954140439887, 'margin_of_error': 0.4917380473532363, 'heaviest': 1.2499999999920988, 'regions': {'north': 0.6400000000014563, 'south': 0.0, 'isles': None}}))
