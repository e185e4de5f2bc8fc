// Enums with data, slices and numbers of Rust.
enum Shape { Circle { r: f64 }, Square(i32), Empty }
struct Item { id: u32, shape: Shape, next: Option<Box<u8>> }

#[inline(never)]
fn total(items: &[Item], scale: f64) -> f64 {
    let mut sum = 0.0;
    for item in items {
        sum += scale * match &item.shape { Shape::Circle { r } => *r, Shape::Square(s) => *s as f64, Shape::Empty => 0.0 };
        if item.id == 3 && item.next.is_none() { std::process::abort(); }
    }
    sum
}

fn main() {
    let items = vec![Item { id: 1, shape: Shape::Circle { r: 2.5 }, next: None },
                     Item { id: 2, shape: Shape::Square(-3), next: Some(Box::new(7)) },
                     Item { id: 3, shape: Shape::Empty, next: None }];
    println!("{}", total(&items, 1.5));
}
