"""Hidden checks of orders-24: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "cloves": 19,
  "flour": 82
 },
 "B": {
  "flour": 3
 },
 "C": {
  "apples": 30,
  "barley": 24,
  "eggs": 15
 },
 "D": {
  "cloves": 40,
  "dates": 15
 },
 "E": {
  "barley": 35,
  "cloves": 38,
  "eggs": 13,
  "flour": 5
 },
 "F": {
  "apples": 55,
  "barley": 23,
  "flour": 24
 },
 "G": {
  "apples": 34,
  "barley": 62,
  "cloves": 11
 },
 "H": {
  "apples": 31,
  "eggs": 4,
  "flour": 35
 }
}
""")
LOG = json.loads("""[
 31,
 31,
 175,
 21,
 34,
 46,
 8,
 140,
 11,
 11,
 108,
 35,
 9,
 3,
 23,
 20,
 172,
 3,
 28,
 37,
 32,
 3,
 8,
 26
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
