# needs: git
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_CONFIG_NOSYSTEM=1
git init -q -b main repo
cd repo
cp $INPUT/words .
git add words
git commit -q -m first
for i in 1 2 3 4 5; do
    sed -i "${i}s/^/x/" words
    git commit -q -am "change $i"
done
git log --format='%h %s'
git rev-parse HEAD
git show --stat HEAD~2 | tail -n 2
git diff HEAD~3 | md5sum
git branch side HEAD~2
git checkout -q side
echo new > new
git add new
git commit -q -m side
git merge -q --no-edit main > /dev/null
git log --oneline --graph | head -n 4
git gc -q
git count-objects | cut -d' ' -f1
git fsck --no-progress 2>&1 | wc -l
git tag -a v1 -m tag
git describe
cd ..
git clone -q file://$PWD/repo copy
cd copy
git log --oneline | wc -l
git blame words | cut -c 1-8 | sort -u | wc -l
git grep -c x words
git archive HEAD | md5sum
git status --short | wc -l
git bogus 2>/dev/null
echo $?
