use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let w = words();
    let a: u32 = w[0].parse().unwrap();
    let s: Vec<u32> = w[1].chars().rev().map(|c| c.to_digit(10).unwrap()).collect();
    let mut digits = vec![1u32];
    for e in 1.. {
        let mut carry = 0;
        for digit in digits.iter_mut() {
            carry += *digit * a;
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
        if digits.windows(s.len()).any(|window| window == s) {
            println!("{}", e);
            return;
        }
    }
}
