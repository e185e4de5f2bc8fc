// Panics of several kinds; the argument says which.
use std::panic;

#[derive(Debug)]
struct Account { balance: i64 }

#[inline(never)]
fn take(account: &mut Account, amount: i64) -> i64 {
    if amount > account.balance { panic!("cannot take {} of {}", amount, account.balance); }
    account.balance -= amount;
    account.balance
}

#[inline(never)]
fn element(items: &[i32], index: usize) -> i32 { items[index] }

#[inline(never)]
fn parse(text: &str) -> i32 { text.parse().unwrap() }

fn main() {
    let which = std::env::args().nth(1).unwrap_or_default();
    let mut account = Account { balance: 10 };
    let caught = panic::catch_unwind(|| element(&[1, 2, 3], 7));
    println!("caught {}", caught.is_err());
    match which.as_str() {
        "index" => println!("{}", element(&[1, 2, 3], 5)),
        "unwrap" => println!("{}", parse("x12")),
        "none" => println!("{:?}", None::<i32>.unwrap()),
        "literal" => panic!("just a text"),
        "divide" => println!("{}", 7 / (account.balance - 10)),
        _ => println!("{}", take(&mut account, 11)),
    }
}
