# needs: sh env
printf '#!/bin/sh\necho "$0 $# $1"\nexit 5\n' > one; chmod +x one; ./one 'a b' c; echo $?
printf '#!/usr/bin/env -S bash -e\necho in bash $BASH_VERSINFO; false; echo no\n' > two
chmod +x two; ./two | tr -d 0-9; echo ${PIPESTATUS[0]}
printf '#!%s/one arg\n' "$PWD" > three; chmod +x three; ./three x | sed "s|$PWD||g"
printf 'echo no interpreter line $1\n' > four; chmod +x four; ./four x; ./absent; echo $?; ./one/x
echo $?; touch five; ./five; echo $?
PATH=$PWD:$PATH; one y | sed "s|$PWD||"; exec -a other sh -c 'echo $0'
