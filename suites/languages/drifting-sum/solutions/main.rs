use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn digits(word: &str) -> Vec<u32> {
    word.chars().rev().map(|c| c.to_digit(10).unwrap()).collect()
}

fn main() {
    let w = words();
    let (mut x, mut y) = (digits(&w[0]), digits(&w[1]));
    let n: u32 = w[2].parse().unwrap();
    for i in 3..=n {
        let (mut carry, mut sum) = (i, Vec::new());
        let mut d = 0;
        while d < x.len().max(y.len()) || carry > 0 {
            carry += x.get(d).unwrap_or(&0) + y.get(d).unwrap_or(&0);
            sum.push(carry % 10);
            carry /= 10;
            d += 1;
        }
        x = y;
        y = sum;
    }
    println!("{} {}", y.len(), y.iter().filter(|&&d| d == 7).count());
}
