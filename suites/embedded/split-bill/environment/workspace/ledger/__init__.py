"""Bills of a house and the tenants who share them."""
