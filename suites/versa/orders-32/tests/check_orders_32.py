"""Hidden checks of orders-32: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "apples": 8,
  "barley": 38,
  "dates": 35
 },
 "B": {
  "apples": 37,
  "barley": 78,
  "dates": 36,
  "eggs": 20
 },
 "C": {
  "apples": 17,
  "cloves": 18,
  "dates": 21,
  "flour": 2
 },
 "D": {
  "barley": 9,
  "cloves": 40,
  "dates": 39
 },
 "E": {
  "apples": 93,
  "dates": 23,
  "flour": 62
 },
 "F": {
  "apples": 35,
  "cloves": 10,
  "flour": 11
 },
 "G": {
  "dates": 35,
  "eggs": 12
 },
 "H": {
  "apples": 42,
  "barley": 55,
  "cloves": 22
 }
}
""")
LOG = json.loads("""[
 11,
 15,
 3,
 20,
 3,
 15,
 8,
 20,
 56,
 193,
 16,
 124,
 8,
 6,
 60,
 18,
 18,
 2,
 90,
 182,
 28,
 219,
 39,
 39,
 114,
 15,
 5,
 13,
 42,
 59,
 8,
 5
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
