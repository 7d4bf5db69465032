"""Tables for a terminal, and the rows behind them."""
