// Values of every kind of Rust type that ebb shows. The program prints each container with {:?};
// the suite compares that with what ebb shows of the same variable.
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString, OsString};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};

pub mod shapes {
    pub static mut DRAWN: i32 = 7;
    pub static NAME: &str = "shapes";
    pub const SIDES: u16 = 4;

    #[derive(Debug, Clone)]
    pub enum Shape {
        Circle { r: f64 },
        Square(i32),
        Pair(u8, String),
        Empty,
    }

    pub trait Area {
        fn area(&self) -> f64;
        fn name(&self) -> String { String::from("shape") }
    }

    impl Area for Shape {
        #[inline(never)]
        fn area(&self) -> f64 {
            match self { Shape::Circle { r } => r * r * 3.0, Shape::Square(s) => (*s * *s) as f64, _ => 0.0 }
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Point { pub x: i32, pub y: i32 }

    impl Point {
        #[inline(never)]
        pub fn length(&self) -> f64 { ((self.x * self.x + self.y * self.y) as f64).sqrt() }
        #[inline(never)]
        pub fn new(x: i32, y: i32) -> Point { unsafe { DRAWN += 1; } Point { x, y } }
    }

    impl Area for Point {
        #[inline(never)]
        fn area(&self) -> f64 { (self.x * self.y) as f64 }
    }

    pub mod inner {
        pub static DEEP: u8 = 42;
        #[inline(never)]
        pub fn twice<T: Copy + std::ops::Add<Output = T>>(value: T) -> T { value + value }
    }
}

use shapes::{Area, Point, Shape};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Color { Red, Green = 5, Blue }

#[derive(Debug, Clone, Copy)]
#[repr(i8)]
pub enum Signed { Low = -3, High = 9 }

#[derive(Debug)]
pub struct Wrapper(pub i32, pub &'static str);

#[derive(Debug)]
pub struct Unit;

#[derive(Debug)]
pub enum Nested { One(Option<Box<i32>>), Two { first: Color, second: Option<Color> }, Never(Vec<i32>) }

#[repr(C)]
pub union Either { pub number: u32, pub float: f32 }

#[derive(Debug)]
pub struct Node { pub value: i32, pub children: RefCell<Vec<Rc<Node>>>, pub parent: RefCell<Weak<Node>> }

thread_local! { static LOCAL: Cell<u32> = Cell::new(3); }

pub static COUNTER: AtomicUsize = AtomicUsize::new(11);
pub static mut GLOBAL: [u8; 4] = [1, 2, 3, 4];

#[inline(never)]
#[no_mangle]
pub extern "C" fn stop_here(x: i32) -> i32 { println!("stopped {}", x); x + 1 }

#[inline(never)]
fn with_arguments(point: &Point, items: &[i32], text: &str, shape: &dyn Area, f: extern "C" fn(i32) -> i32, name: String) -> i32 {
    let sum: i32 = items.iter().sum();
    let local = point.x + sum + text.len() as i32 + name.len() as i32 + shape.area() as i32;
    stop_here(f(local))
}

fn show<T: std::fmt::Debug>(name: &str, value: &T) { println!("{} = {:?}", name, value); }

fn main() {
    let int8: i8 = -5;
    let uint8: u8 = 200;
    let int16: i16 = -300;
    let uint16: u16 = 60000;
    let int32: i32 = -70000;
    let uint32: u32 = 4000000000;
    let int64: i64 = -5000000000;
    let uint64: u64 = 18000000000000000000;
    let int128: i128 = -170141183460469231731687303715884105728;
    let uint128: u128 = 340282366920938463463374607431768211455;
    let size: usize = 12345;
    let single: f32 = 1.5;
    let double: f64 = -2.25;
    let yes = true;
    let no = false;
    let letter = 'a';
    let wide = 'ß';
    let crab = '🦀';
    let quote = '\'';
    let newline = '\n';
    let unit = ();
    let array = [1, 2, 3, 4, 5];
    let matrix = [[1u8, 2], [3, 4], [5, 6]];
    let zeros = [0u16; 40];
    let empty_array: [i32; 0] = [];
    let tuple = (1, 2.5, "three");
    let nested_tuple = ((1u8, 'x'), [1.0f32, 2.0]);
    let one_tuple = (9i64,);
    let text: &str = "hello, wörld";
    let empty_text: &str = "";
    let string = String::from("owned \"string\"\n");
    let empty_string = String::new();
    let slice: &[i32] = &array[1..4];
    let empty_slice: &[i32] = &[];
    let byte_slice: &[u8] = b"bytes";
    let text_slice: &[&str] = &["one", "two"];
    let vector = vec![10, 20, 30];
    let empty_vector: Vec<String> = Vec::new();
    let strings = vec![String::from("a"), String::from("bc")];
    let nested_vector = vec![vec![1u8], vec![], vec![2, 3]];
    let points = vec![Point::new(1, 2), Point::new(3, 4)];
    let units = vec![(), ()];
    let mut deque: VecDeque<i32> = VecDeque::with_capacity(4);
    for n in 0..6 { deque.push_back(n); if n > 2 { deque.pop_front(); } }
    let empty_deque: VecDeque<u8> = VecDeque::new();
    let some = Some(5);
    let none: Option<i32> = None;
    let some_box = Some(Box::new(77));
    let none_box: Option<Box<i32>> = None;
    let some_text: Option<&str> = Some("inside");
    let none_text: Option<&str> = None;
    let some_string = Some(String::from("niche"));
    let none_string: Option<String> = None;
    let some_some = Some(Some(3u8));
    let some_none: Option<Option<u8>> = Some(None);
    let none_none: Option<Option<u8>> = None;
    let some_bool = Some(true);
    let none_bool: Option<bool> = None;
    let some_some_bool = Some(Some(false));
    let some_none_bool: Option<Option<bool>> = Some(None);
    let some_char = Some('q');
    let none_char: Option<char> = None;
    let some_color = Some(Color::Blue);
    let none_color: Option<Color> = None;
    let some_reference = Some(&int32);
    let none_reference: Option<&i32> = None;
    let good: Result<i32, String> = Ok(1);
    let bad: Result<i32, String> = Err(String::from("wrong"));
    let unit_result: Result<(), u8> = Ok(());
    let red = Color::Red;
    let green = Color::Green;
    let low = Signed::Low;
    let high = Signed::High;
    let circle = Shape::Circle { r: 2.5 };
    let square = Shape::Square(-3);
    let pair = Shape::Pair(1, String::from("p"));
    let empty = Shape::Empty;
    let nested_one = Nested::One(Some(Box::new(4)));
    let nested_two = Nested::Two { first: Color::Green, second: None };
    let nested_never = Nested::Never(vec![1]);
    let point = Point { x: 3, y: -4 };
    let wrapper = Wrapper(8, "eight");
    let unit_struct = Unit;
    let either = Either { number: 0x3f800000 };
    let boxed = Box::new(123);
    let boxed_point = Box::new(Point { x: 5, y: 6 });
    let boxed_slice: Box<[i32]> = vec![7, 8].into_boxed_slice();
    let boxed_text: Box<str> = "boxed".into();
    let rc = Rc::new(55);
    let rc2 = rc.clone();
    let weak = Rc::downgrade(&rc);
    let dead: Weak<i32> = Weak::new();
    let rc_text: Rc<str> = Rc::from("shared");
    let arc = Arc::new(String::from("arc"));
    let arc2 = Arc::clone(&arc);
    let cell = Cell::new(9);
    let refcell = RefCell::new(vec![1, 2]);
    let borrowed = RefCell::new(5);
    let borrow = borrowed.borrow();
    let mutex = Mutex::new(66);
    let rwlock = RwLock::new(String::from("rw"));
    let shared = Arc::new(Mutex::new(vec![1, 2, 3]));
    let atomic = AtomicUsize::new(31);
    let atomic_bool = AtomicBool::new(true);
    let mut map: HashMap<String, i32> = HashMap::new();
    map.insert(String::from("one"), 1);
    map.insert(String::from("two"), 2);
    map.insert(String::from("three"), 3);
    let mut numbers: HashMap<u64, &str> = HashMap::new();
    for n in 0..40 { numbers.insert(n * n, "square"); }
    numbers.remove(&16);
    let empty_map: HashMap<i32, i32> = HashMap::new();
    let set: HashSet<i32> = [4, 5, 6].iter().cloned().collect();
    let mut tree: BTreeMap<i32, String> = BTreeMap::new();
    for n in 0..60 { tree.insert(n, format!("n{}", n)); }
    let mut small_tree: BTreeMap<&str, u8> = BTreeMap::new();
    small_tree.insert("k", 1);
    small_tree.insert("j", 2);
    let empty_tree: BTreeMap<i32, i32> = BTreeMap::new();
    let tree_set: BTreeSet<char> = "hello".chars().collect();
    let heap: BinaryHeap<i32> = vec![3, 1, 2].into_iter().collect();
    let list: LinkedList<i32> = [1, 2, 3].iter().cloned().collect();
    let path = PathBuf::from("/usr/lib");
    let path_ref: &Path = Path::new("/etc");
    let os_string = OsString::from("os");
    let c_string = CString::new("c string").unwrap();
    let c_str: &CStr = c_string.as_c_str();
    let reference = &point;
    let double_reference = &reference;
    let mut changed = 10;
    let mutable = &mut changed;
    let pointer: *const i32 = &int32;
    let null: *const i32 = std::ptr::null();
    let function: extern "C" fn(i32) -> i32 = stop_here;
    let dynamic: &dyn Area = &circle;
    let boxed_dynamic: Box<dyn Area> = Box::new(Point { x: 2, y: 3 });
    let shapes: Vec<Box<dyn Area>> = vec![Box::new(Shape::Square(2)), Box::new(Point { x: 1, y: 1 })];
    let range = 2..5;
    let inclusive = 2..=5;
    let wrapping = std::num::Wrapping(3u8);
    let non_zero = std::num::NonZeroU32::new(6);
    let duration = std::time::Duration::from_millis(1500);
    let captured = 4;
    let closure = move |n: i32| n + captured;
    let parent = Rc::new(Node { value: 1, children: RefCell::new(vec![]), parent: RefCell::new(Weak::new()) });
    let child = Rc::new(Node { value: 2, children: RefCell::new(vec![]), parent: RefCell::new(Rc::downgrade(&parent)) });
    parent.children.borrow_mut().push(child.clone());

    show("int8", &int8); show("uint8", &uint8); show("int16", &int16); show("uint16", &uint16);
    show("int32", &int32); show("uint32", &uint32); show("int64", &int64); show("uint64", &uint64);
    show("int128", &int128); show("uint128", &uint128); show("size", &size); show("single", &single);
    show("double", &double); show("yes", &yes); show("no", &no); show("letter", &letter);
    show("wide", &wide); show("crab", &crab); show("quote", &quote); show("newline", &newline);
    show("unit", &unit); show("array", &array); show("matrix", &matrix); show("empty_array", &empty_array);
    show("tuple", &tuple); show("nested_tuple", &nested_tuple); show("one_tuple", &one_tuple); show("text", &text);
    show("empty_text", &empty_text); show("string", &string); show("empty_string", &empty_string);
    show("slice", &slice); show("empty_slice", &empty_slice); show("byte_slice", &byte_slice);
    show("text_slice", &text_slice); show("vector", &vector); show("empty_vector", &empty_vector);
    show("strings", &strings); show("nested_vector", &nested_vector); show("points", &points);
    show("units", &units); show("deque", &deque); show("empty_deque", &empty_deque);
    show("some", &some); show("none", &none); show("some_box", &some_box); show("none_box", &none_box);
    show("some_text", &some_text); show("none_text", &none_text); show("some_string", &some_string);
    show("none_string", &none_string); show("some_some", &some_some); show("some_none", &some_none);
    show("none_none", &none_none); show("some_bool", &some_bool); show("none_bool", &none_bool);
    show("some_some_bool", &some_some_bool); show("some_none_bool", &some_none_bool);
    show("some_char", &some_char); show("none_char", &none_char); show("some_color", &some_color);
    show("none_color", &none_color); show("some_reference", &some_reference);
    show("none_reference", &none_reference); show("good", &good); show("bad", &bad);
    show("unit_result", &unit_result); show("red", &red); show("green", &green); show("low", &low);
    show("high", &high); show("circle", &circle); show("square", &square); show("pair", &pair);
    show("empty", &empty); show("nested_one", &nested_one); show("nested_two", &nested_two);
    show("nested_never", &nested_never); show("point", &point); show("wrapper", &wrapper);
    show("unit_struct", &unit_struct); show("boxed", &boxed); show("boxed_point", &boxed_point);
    show("boxed_slice", &boxed_slice); show("boxed_text", &boxed_text); show("rc", &rc); show("rc2", &rc2);
    show("rc_text", &rc_text); show("arc", &arc); show("arc2", &arc2); show("cell", &cell);
    show("refcell", &refcell); show("mutex", &mutex); show("rwlock", &rwlock); show("shared", &shared);
    show("atomic", &atomic); show("atomic_bool", &atomic_bool); show("map", &map); show("numbers", &numbers);
    show("empty_map", &empty_map); show("set", &set); show("tree", &tree); show("small_tree", &small_tree);
    show("empty_tree", &empty_tree); show("tree_set", &tree_set); show("heap", &heap); show("list", &list);
    show("path", &path); show("path_ref", &path_ref); show("os_string", &os_string);
    show("c_string", &c_string); show("c_str", &c_str); show("reference", &reference);
    show("double_reference", &double_reference); show("mutable", &mutable); show("range", &range);
    show("inclusive", &inclusive); show("wrapping", &wrapping); show("non_zero", &non_zero);
    show("duration", &duration); show("captured", &captured); show("weak", &weak); show("dead", &dead);
    show("borrow", &borrow); show("zeros", &zeros);
    println!("{} {} {}", closure(1), null.is_null(), unsafe { either.float });
    let mut total = with_arguments(&point, &vector, text, dynamic, function, string.clone());
    total += shapes::inner::twice(total) + shapes::inner::twice(int8) as i32;
    total += shapes.iter().map(|s| s.area() as i32).sum::<i32>() + boxed_dynamic.area() as i32;
    println!("{} {} {} {} {:?}", total, unsafe { shapes::DRAWN }, COUNTER.load(Ordering::SeqCst),
             shapes::NAME.len() + shapes::SIDES as usize + shapes::inner::DEEP as usize, pointer);
    println!("{:?} {} {}", child.value, LOCAL.with(|c| c.get()), dynamic.name());
    println!("{} {}", point.length(), unsafe { GLOBAL[1] });
    println!("{:?}", parent.parent.borrow().upgrade().is_none());
}
