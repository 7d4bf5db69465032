use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let text = words()[0].clone();
    let n = text.len();
    for length in (1..=n / 2).rev() {
        let found = (0..=n - 2 * length)
            .map(|i| (&text[i..i + length], &text[i + length..]))
            .filter(|(part, rest)| rest.contains(part))
            .map(|(part, _)| part)
            .min();
        if let Some(best) = found {
            println!("{} {}", length, best);
            return;
        }
    }
    println!("0 -");
}
