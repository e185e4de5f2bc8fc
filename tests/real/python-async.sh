# needs: python3
python3 -I - <<'PY'
import asyncio, concurrent.futures


async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()


async def ask(port, i):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"line %d\n" % i)
    line = await reader.readline()
    writer.close()
    return line


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(await asyncio.gather(*[ask(port, i) for i in range(10)]))
    child = await asyncio.create_subprocess_exec("echo", "sub", stdout=asyncio.subprocess.PIPE)
    print((await child.communicate())[0])
    try:
        await asyncio.wait_for(asyncio.sleep(100), 0.01)
    except asyncio.TimeoutError:
        print("timeout")
    print(await asyncio.get_running_loop().run_in_executor(None, sum, range(1000)))
    server.close()


asyncio.run(main())
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda x: x * x, range(100))))
PY
