# needs: yes
yes | head -n 3; yes abc | head -c 100000 | md5sum; echo ${PIPESTATUS[@]}
cat /dev/zero | head -c 1000000 | wc -c; timeout 0.2 sleep 100; echo $?
timeout -s KILL 0.2 yes > /dev/null; echo $?
(sleep 0.1; echo slept) & wait; nice -n 5 nice | grep -c .; env -i A=b env; setsid -w echo session
