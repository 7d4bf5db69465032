"""How each program is started without a person, one file a program."""
