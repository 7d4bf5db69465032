use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<usize> = words().iter().map(|w| w.parse().unwrap()).collect();
    let mut people: Vec<usize> = (1..=v[0]).collect();
    let mut gone = Vec::new();
    let (mut at, mut turn) = (0, 0);
    while people.len() > 1 {
        let size = people.len();
        let step = (v[1] + turn - 1) % size;
        at = if turn % 2 == 0 { (at + step) % size } else { (at + 2 * size - 1 - step) % size };
        gone.push(people.remove(at));
        turn += 1;
    }
    println!("{} {}", people[0], gone.iter().rev().take(3).sum::<usize>());
}
