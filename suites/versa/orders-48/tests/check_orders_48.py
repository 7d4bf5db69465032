"""Hidden checks of orders-48: what is in the bays at the end, and what each order moved."""

import json

STOCK = json.loads("""{
 "A": {
  "barley": 8,
  "cloves": 18,
  "dates": 16,
  "flour": 11
 },
 "B": {
  "apples": 25,
  "cloves": 23,
  "dates": 36,
  "flour": 23
 },
 "C": {
  "barley": 26,
  "cloves": 53,
  "flour": 63
 },
 "D": {
  "apples": 59,
  "cloves": 55,
  "dates": 9,
  "eggs": 49
 },
 "E": {
  "barley": 14,
  "dates": 27
 },
 "F": {
  "cloves": 30,
  "dates": 58
 },
 "G": {
  "apples": 23,
  "dates": 17,
  "eggs": 31,
  "flour": 17
 },
 "H": {
  "apples": 6,
  "barley": 50,
  "eggs": 10
 }
}
""")
LOG = json.loads("""[
 146,
 35,
 155,
 32,
 46,
 160,
 4,
 46,
 74,
 74,
 20,
 12,
 0,
 40,
 9,
 56,
 7,
 145,
 13,
 10,
 16,
 32,
 20,
 12,
 9,
 16,
 56,
 3,
 55,
 16,
 58,
 19,
 222,
 56,
 32,
 75,
 24,
 16,
 6,
 3,
 10,
 53,
 215,
 20,
 98,
 163,
 114,
 163
]
""")


def test_the_stock_is_what_all_orders_left(ws):
    assert json.loads(ws.read("stock.json")) == STOCK


def test_each_order_moved_what_it_had_to(ws):
    assert json.loads(ws.read("log.json")) == LOG
