use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

use std::collections::{HashMap, VecDeque};

fn near(a: &str, b: &str) -> bool {
    if a.len() == b.len() {
        return a.bytes().zip(b.bytes()).filter(|(x, y)| x != y).count() == 1;
    }
    &a[1..] == b || &b[1..] == a
}

fn main() {
    let w = words();
    let mut steps: HashMap<&str, i32> = HashMap::from([(w[0].as_str(), 0)]);
    let mut queue = VecDeque::from([w[0].as_str()]);
    while let Some(word) = queue.pop_front() {
        for other in &w[3..] {
            if !steps.contains_key(other.as_str()) && near(word, other) {
                steps.insert(other, steps[word] + 1);
                queue.push_back(other);
            }
        }
    }
    println!("{}", steps.get(w[1].as_str()).unwrap_or(&-1));
}
