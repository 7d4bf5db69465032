use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let n: u32 = words()[0].parse().unwrap();
    let mut digits = vec![1u32];
    for i in 1..=n {
        let mut carry = 0;
        for digit in digits.iter_mut() {
            carry += *digit * (i * i + 1);
            *digit = carry % 10;
            carry /= 10;
        }
        while carry > 0 {
            digits.push(carry % 10);
            carry /= 10;
        }
    }
    println!("{} {}", digits.len(), digits.iter().sum::<u32>());
}
