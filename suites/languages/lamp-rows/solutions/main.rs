use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let n: usize = words()[0].parse().unwrap();
    let mut on = vec![false; n + 1];
    for i in (1..=n).filter(|i| i.count_ones() % 2 == 0) {
        for lamp in (i..=n).step_by(i) {
            on[lamp] = !on[lamp];
        }
    }
    let count = on.iter().filter(|&&lit| lit).count();
    println!("{} {}", count, on.iter().rposition(|&lit| lit).unwrap_or(0));
}
