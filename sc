cd $(mktemp -d -p $HOME); bash -x /usr/bin/mariadb-install-db --no-defaults --datadir="$PWD/data" --auth-root-authentication-method=normal 2>&1 | tail -12; ls
