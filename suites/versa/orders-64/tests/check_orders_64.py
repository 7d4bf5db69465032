"""Hidden checks of orders-64: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "apples": 22,
  "barley": 13,
  "eggs": 13
 },
 "B": {
  "apples": 6,
  "barley": 37,
  "eggs": 5,
  "flour": 2
 },
 "C": {
  "cloves": 58,
  "dates": 19,
  "flour": 1
 },
 "D": {
  "barley": 8,
  "cloves": 61,
  "dates": 65,
  "flour": 42
 },
 "E": {
  "apples": 26,
  "cloves": 12,
  "eggs": 24,
  "flour": 6
 },
 "F": {
  "apples": 33,
  "barley": 27,
  "cloves": 18,
  "dates": 1
 },
 "G": {
  "dates": 26,
  "eggs": 19
 },
 "H": {
  "apples": 24,
  "barley": 2,
  "dates": 12,
  "flour": 15
 }
}
""")
LOG = json.loads("""[
 87,
 29,
 15,
 15,
 29,
 115,
 113,
 26,
 8,
 10,
 10,
 21,
 11,
 21,
 29,
 3,
 28,
 42,
 32,
 15,
 74,
 8,
 133,
 5,
 52,
 8,
 5,
 10,
 15,
 71,
 67,
 26,
 14,
 15,
 8,
 2,
 19,
 8,
 14,
 119,
 16,
 13,
 8,
 11,
 14,
 46,
 2,
 6,
 87,
 80,
 19,
 11,
 2,
 15,
 53,
 111,
 50,
 6,
 15,
 157,
 13,
 128,
 98,
 123
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
