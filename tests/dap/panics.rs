// A panic of Rust, with a few values.
use std::collections::HashMap;

struct Point {
    x: i32,
    y: i32,
}

fn pick(values: &[i32], index: usize) -> i32 {
    values[index] // mark pick
}

fn main() {
    let values = vec![10, 20, 30];
    let point = Point { x: 3, y: 4 };
    let mut ages: HashMap<String, u32> = HashMap::new();
    ages.insert("ann".to_string(), 31);
    let mut sum = point.x + point.y + ages.len() as i32;
    for i in 0..5 {
        sum += pick(&values, i); // mark loop
    }
    println!("{}", sum);
}
