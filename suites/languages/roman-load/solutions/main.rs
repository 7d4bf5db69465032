use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<usize> = words().iter().map(|w| w.parse().unwrap()).collect();
    let length = [0, 1, 2, 3, 2, 1, 2, 3, 4, 2];
    let (mut total, mut most, mut best) = (0, 0, 0);
    for number in v[0]..=v[1] {
        let letters = number / 1000 + length[number / 100 % 10] + length[number / 10 % 10] + length[number % 10];
        total += letters;
        if letters > most {
            most = letters;
            best = number;
        }
    }
    println!("{} {}", total, best);
}
