"""What an audit says: rates, hack rates, standings, the monitor, copies of references, how many hacks there are."""
