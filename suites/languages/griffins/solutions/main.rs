use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

use std::collections::HashMap;

fn main() {
    let v: Vec<i64> = words().iter().map(|w| w.parse().unwrap()).collect();
    let mut ways = HashMap::from([((99i64, 99i64), 1u64)]);
    for _ in 0..v[0] {
        let mut next = HashMap::new();
        for ((before, last), count) in ways {
            for c in 0..v[1] {
                if (c - last).abs() > 2 && (c - before).abs() != 1 {
                    *next.entry((last, c)).or_insert(0) += count;
                }
            }
        }
        ways = next;
    }
    println!("{}", ways.values().sum::<u64>());
}
