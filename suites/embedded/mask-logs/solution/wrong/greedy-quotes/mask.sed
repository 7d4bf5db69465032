# Masks what must not leave the house: values of secrets, names in mail addresses, last parts of IP addresses.
s/\b(token|password|secret)=".*"/\1="***"/g
s/\b(token|password|secret)=[^ &;"]+/\1=***/g
s/([A-Za-z0-9._+-])[A-Za-z0-9._+-]*@([A-Za-z0-9.-])/\1***@\2/g
# Neighbours share the character between them, so that one pass is not enough.
:again
s/(^|[^0-9.])([0-9]{1,3}(\.[0-9]{1,3}){2})\.[0-9]{1,3}([^0-9.]|$)/\1\2.x\4/
t again
