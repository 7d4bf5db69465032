use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<u64> = words()[1..].iter().map(|w| w.parse().unwrap()).collect();
    let mut best: Vec<(u64, u64)> = Vec::new();
    for i in 0..v.len() {
        let before = (0..i).filter(|&j| v[j] < v[i] && (v[j] + v[i]) % 2 == 1).map(|j| best[j]).max();
        let (length, sum) = before.unwrap_or((0, 0));
        best.push((length + 1, sum + v[i]));
    }
    let (length, sum) = best.iter().max().unwrap();
    println!("{} {}", length, sum);
}
