# Writes what was changed; here, without git, always the same.
echo libs/mail/send.py > changed.txt
