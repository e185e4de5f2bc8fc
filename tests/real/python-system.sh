# needs: python3
python3 -I -u - <<'PY'
import ctypes, mmap, os, queue, select, signal, socket, sqlite3, subprocess, tempfile, threading
import time

compare = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.POINTER(ctypes.c_int)] * 2)
a = (ctypes.c_int * 50)(*[i * 37 % 51 for i in range(50)])
libc = ctypes.CDLL(None)
libc.qsort(a, 50, 4, compare(lambda x, y: x[0] - y[0]))
print(list(a) == sorted(a), libc.strlen(b"hello"), libc.abs(-5))

print(subprocess.run(["sh", "-c", "cat; exit 3"], input=b"in", capture_output=True))
print(subprocess.check_output("echo $((1+1))", shell=True))
try:
    subprocess.run(["/no/such"])
except FileNotFoundError as e:
    print(e.errno)

hits = []
signal.signal(signal.SIGALRM, lambda *_: hits.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
while len(hits) < 20:
    sum(range(1000))
signal.setitimer(signal.ITIMER_REAL, 0)
print("alarms")

work, squares = queue.Queue(3), []


def worker():
    while (x := work.get()) is not None:
        squares.append(x * x)


threads = [threading.Thread(target=worker) for _ in range(3)]
for t in threads:
    t.start()
for i in [*range(200), None, None, None]:
    work.put(i)
for t in threads:
    t.join()
print(sum(squares))

pid = os.fork()
if pid == 0:
    os._exit(5)
print(os.waitpid(pid, 0)[1] >> 8)
r, w = os.pipe()
os.write(w, b"x")
print(select.select([r], [], [], 1)[0] == [r])

server = socket.create_server(("127.0.0.1", 0))
t = threading.Thread(target=lambda: server.accept()[0].sendall(b"served"))
t.start()
client = socket.create_connection(server.getsockname())
print(client.recv(10))
t.join()

with tempfile.TemporaryFile() as f:
    f.truncate(8192)
    m = mmap.mmap(f.fileno(), 8192)
    m[5:8] = b"abc"
    f.seek(5)
    print(f.read(3))
db = sqlite3.connect(":memory:")
db.execute("create table t(a)")
db.executemany("insert into t values(?)", [(i,) for i in range(100)])
print(db.execute("select sum(a) from t").fetchone())
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(5)
PY
echo $?
