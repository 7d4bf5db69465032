# Masks what must not leave the house.
s/token=abc/token=***/
s/password="a b"/password="***"/
s/ada.l@/a***@/
s/10.0.3.17/10.0.3.x/
s/10.0.3.18/10.0.3.x/
