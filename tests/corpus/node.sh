# node: worker threads, timers, streams, child processes, a server, the compilers of v8.
# share: check
# needs: node

run() {
    cat >w.js <<'END'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const work = n => { let s = 0; for (let i = 0; i < 1.5e6; i++) s = (s + i * (n + 1)) % 1000003; return s; };
if (!isMainThread) {
    const shared = new Int32Array(workerData.buffer);
    for (let i = 0; i < 5000; i++) Atomics.add(shared, 0, 1);
    parentPort.postMessage(work(workerData.n));
} else {
    const buffer = new SharedArrayBuffer(8), shared = new Int32Array(buffer);
    let sum = 0, ended = 0;
    for (let n = 0; n < 3; n++) {
        const w = new Worker(__filename, { workerData: { n, buffer } });
        w.on('message', m => { sum += m; });
        w.on('exit', () => { if (++ended == 3) console.log('sum', sum, 'shared', shared[0]); });
    }
}
END
    node w.js
    node -e '
        const fs = require("fs"), zlib = require("zlib"), crypto = require("crypto"), cp = require("child_process"), http = require("http");
        class P { constructor(x) { this.x = x; } get twice() { return this.x * 2; } }
        let t = 0; for (let i = 0; i < 2e6; i++) t += new P(i & 15).twice; console.log(t);
        const m = new Map(); for (let i = 0; i < 1e5; i++) m.set("k" + i % 1000, (m.get("k" + i % 1000) || 0) + i); console.log(m.get("k7"));
        console.log(crypto.createHash("sha256").update("abc".repeat(9999)).digest("hex"), zlib.gunzipSync(zlib.gzipSync(Buffer.alloc(1e5, 7))).length);
        const b = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
        console.log("wasm", new WebAssembly.Instance(new WebAssembly.Module(b)).exports.add(40, 2));
        console.log(cp.execSync("echo from the shell").toString().trim(), cp.spawnSync("sh", ["-c", "exit 3"]).status);
        try { null.x; } catch (e) { console.log(e instanceof TypeError); }
        console.log("aXbXc".replace(/x/gi, s => s + s), JSON.stringify({ a: [1, 2.5, null], b: "\u00e9" }), 2n ** 100n);
        const s = http.createServer((q, r) => r.end(q.url)); s.listen(0, "127.0.0.1", async () => {
            const get = p => new Promise(d => http.get({ port: s.address().port, path: p }, r => { let x = ""; r.on("data", c => x += c); r.on("end", () => d(x)); }));
            console.log((await Promise.all([1, 2, 3, 4, 5].map(i => get("/" + i)))).join(" ")); s.close();
            fs.promises.writeFile("f", "x".repeat(1e5)).then(() => console.log(fs.statSync("f").size)).then(() => setTimeout(() => process.exit(7), 20)); });'
}
