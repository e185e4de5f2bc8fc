# A Rust binary: threads, channels, panics that unwind, collections.
# share: check
# needs: rustc

prepare() {
    cat >corpus.rs <<'END'
use std::collections::{BTreeMap, HashMap};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::{panic, process, thread};

fn main() {
    let (tx, rx) = mpsc::channel();
    let total = Arc::new(Mutex::new(0u64));
    let barrier = Arc::new(Barrier::new(4));
    let mut threads = Vec::new();
    for n in 0..4u64 {
        let (tx, total, barrier) = (tx.clone(), total.clone(), barrier.clone());
        threads.push(thread::spawn(move || {
            barrier.wait();
            for i in 0..5000 {
                *total.lock().unwrap() += i * n;
                if i % 100 == 0 {
                    tx.send(i + n).unwrap();
                }
            }
        }));
    }
    drop(tx);
    let sent: u64 = rx.iter().sum();
    for t in threads {
        t.join().unwrap();
    }
    println!("total {} sent {}", total.lock().unwrap(), sent);

    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let t = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let mut ready = pair.0.lock().unwrap();
    while !*ready {
        ready = pair.1.wait(ready).unwrap();
    }
    t.join().unwrap();

    panic::set_hook(Box::new(|_| {}));
    let r = panic::catch_unwind(|| {
        let v: Vec<i32> = Vec::new();
        v[3]
    });
    println!("caught {}", r.is_err());
    println!("thread panicked {}", thread::spawn(|| panic!("x")).join().is_err());

    let lock = RwLock::new(HashMap::new());
    thread::scope(|s| {
        for n in 0..3 {
            let lock = &lock;
            s.spawn(move || {
                for i in 0..1000 {
                    *lock.write().unwrap().entry(i % 17).or_insert(0) += n;
                }
            });
        }
    });
    let sorted: BTreeMap<_, _> = lock.into_inner().unwrap().into_iter().collect();
    println!("{:?}", sorted);
    let text: String = (0..1000).map(|i| char::from(b'a' + (i * 7 % 26) as u8)).collect();
    println!("{} {}", &text[10..30], text.matches("ho").count());
    let out = process::Command::new("sh").args(["-c", "echo child; exit 3"]).output().unwrap();
    println!("{:?} {:?}", out.status.code(), String::from_utf8_lossy(&out.stdout));
    process::exit(5);
}
END
    rustc -O -o corpus corpus.rs
}

run() {
    "$PREPARED/corpus"
}
