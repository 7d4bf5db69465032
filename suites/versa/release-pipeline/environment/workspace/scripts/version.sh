# Prints the version.
cat app/version.txt
