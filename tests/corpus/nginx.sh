# nginx with two workers, under load from ab; configuration read again while it runs.
# share: check
# needs: /usr/sbin/nginx ab curl

. "$CORPUS_LIB/servers.sh"

configuration() {
    cat <<END
daemon on; master_process on; worker_processes 2; pid $PWD/pid; error_log $PWD/error.log;
user $(id -un) $(id -gn);
events { worker_connections 64; }
http {
    access_log off; gzip on; gzip_min_length 100; gzip_types text/plain; default_type text/plain;
    client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3;
    uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5;
    server {
        listen 127.0.0.1:$1; root $PWD/www; sendfile on;
        location /again { return 302 /file; }
        location /through { proxy_pass http://127.0.0.1:$1/file; }
        location /$2 { return 200 "$2\n"; }
    }
}
END
}

load() {
    ab -q -n 400 -c 8 "$@" 2>/dev/null | grep -E 'Complete requests|Failed requests|Document Length'
}

run() {
    local port url pid
    port=$(free_port) url=http://127.0.0.1:$port
    mkdir www && seq 5000 >www/file && chmod 755 . www
    configuration "$port" old >conf
    /usr/sbin/nginx -p "$PWD" -c "$PWD/conf" 2>>error.log || { tail -n 3 error.log; return 1; }
    eventually answers "$port"
    pid=$(cat pid)
    load $url/file; load -k $url/file; load -k -H 'Accept-Encoding: gzip' $url/through
    curl -s $url/file | sha256sum; curl -s --compressed $url/file | sha256sum
    curl -s -o /dev/null -w '%{http_code} %{redirect_url}\n' $url/again | sed "s/$port/PORT/"
    curl -s -r 10-20 $url/file; curl -s -o /dev/null -w '%{http_code}\n' $url/missing; curl -s $url/old
    configuration "$port" new >conf; kill -HUP "$pid"
    eventually sh -c "curl -s $url/new | grep -q new"; curl -s $url/new
    kill -QUIT "$pid"; eventually gone "$pid"; echo stopped; grep -cE 'alert|emerg' error.log
}
