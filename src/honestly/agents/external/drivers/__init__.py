"""Programs of others, one file each: how it is started without a person, and how its own record is read."""
