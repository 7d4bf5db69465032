"""Hidden checks of orders-16: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "apples": 17,
  "cloves": 38,
  "eggs": 4
 },
 "B": {
  "apples": 27,
  "barley": 66,
  "flour": 4
 },
 "C": {
  "apples": 35,
  "barley": 12,
  "flour": 5
 },
 "D": {
  "cloves": 25,
  "eggs": 72
 },
 "E": {
  "barley": 24,
  "cloves": 36,
  "eggs": 26
 },
 "F": {
  "apples": 5,
  "cloves": 37,
  "eggs": 40,
  "flour": 12
 },
 "G": {
  "apples": 31,
  "dates": 19,
  "eggs": 89,
  "flour": 29
 },
 "H": {
  "apples": 40,
  "dates": 8,
  "eggs": 19
 }
}
""")
LOG = json.loads("""[
 10,
 29,
 41,
 119,
 12,
 144,
 20,
 20,
 4,
 54,
 19,
 40,
 44,
 10,
 254,
 4
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
