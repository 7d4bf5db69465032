use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn main() {
    let v: Vec<u64> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (mut t, mut step) = (0u64, 1u64);
    for pair in v[1..].chunks(2) {
        match (0..pair[0]).map(|i| t + i * step).find(|s| s % pair[0] == pair[1]) {
            Some(found) => t = found,
            None => {
                println!("never");
                return;
            }
        }
        step = step / gcd(step, pair[0]) * pair[0];
    }
    println!("{}", t);
}
