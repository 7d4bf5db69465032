"""One module for each kind of page; each has `routes(pages)`."""
