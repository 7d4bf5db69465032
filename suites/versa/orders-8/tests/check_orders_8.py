"""Hidden checks of orders-8: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "apples": 35,
  "dates": 23
 },
 "B": {
  "barley": 29,
  "dates": 19,
  "eggs": 35
 },
 "C": {
  "apples": 25,
  "dates": 5,
  "flour": 39
 },
 "D": {
  "barley": 24,
  "eggs": 21,
  "flour": 34
 },
 "E": {
  "cloves": 6,
  "dates": 14,
  "flour": 25
 },
 "F": {
  "barley": 34,
  "cloves": 12,
  "dates": 25
 },
 "G": {
  "barley": 31,
  "cloves": 6,
  "flour": 19
 },
 "H": {
  "barley": 4,
  "cloves": 32,
  "dates": 18,
  "eggs": 5
 }
}
""")
LOG = json.loads("""[
 9,
 110,
 9,
 32,
 34,
 34,
 9,
 6
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
