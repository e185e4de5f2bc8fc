# git, from init to gc, and a clone over file://.
# share: check
# needs: git

commit() {
    git add -A && git commit -q -m "$1"
}

run() {
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    export GIT_AUTHOR_DATE='1000000000 +0000' GIT_COMMITTER_DATE='1000000000 +0000'
    export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
    git init -q -b main repo && cd repo || return
    mkdir dir
    for i in {1..40}; do seq "$i" $((i * 20)) >"dir/f$i"; done
    commit first
    sed -i 's/7/seven/' dir/*; git diff --stat | tail -n 1; commit second
    git checkout -q -b side HEAD~; echo side >dir/new; git rm -q dir/f3; commit side
    git checkout -q main; git merge -q -m merge side; git log --graph --format='%h %s %t' --all
    git tag -a -m tagged v1; git describe; git blame dir/f9 | tail -n 1; git grep -c seven | tail -n 2
    echo conflict >dir/new; commit c1; git checkout -q side; echo other >dir/new; commit c2
    git merge main 2>&1 | grep -o 'CONFLICT.*'; git status --short | head -n 3; git merge --abort
    git rebase -q -X theirs main; git log --oneline -n 2; git stash list; git cat-file -p HEAD^{tree}
    git gc -q; git fsck --full 2>&1 | grep -v dangling; git count-objects -v | grep -E 'in-pack|packs'
    cd ..; git clone -q "file://$PWD/repo" copy && git -C copy log --format=%H | sha256sum
    git clone -q --depth 1 "file://$PWD/repo" thin && git -C thin rev-list --count HEAD
    cd copy && seq 9 >more && commit more && git push -q origin HEAD:refs/heads/pushed; git ls-remote | cut -f1 | sha256sum
    git archive HEAD | sha256sum; git bundle create -q ../b HEAD && git bundle verify -q ../b; echo "status $?"
}
