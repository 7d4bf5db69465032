# Masks what must not leave the house.
s/password=[^ ]*/password=***/
