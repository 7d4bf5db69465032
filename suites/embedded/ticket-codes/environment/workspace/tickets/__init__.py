"""Numbers of tickets, and the codes by which people name them."""
