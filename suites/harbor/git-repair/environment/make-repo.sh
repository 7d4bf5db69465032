set -e
mkdir -p /app/repo
cd /app/repo
git config --global user.name Ada
git config --global user.email ada@example.com
git config --global --add safe.directory '*'
git init -q -b main
commit() { git add -A && git commit -q -m "$1"; }
echo 'print("one")' > one.py && commit "Add one"
echo 'PASSWORD=hunter2' > secrets.env && echo 'print("two")' > two.py && commit "Add two"
git tag v1
git rm -q secrets.env && commit "Remove the password"
git checkout -q -b topic
echo 'print("topic")' > topic.py && commit "Begin the topic"
git checkout -q main
git branch -q -D topic
echo 'print("three")' > three.py && commit "Add three"
