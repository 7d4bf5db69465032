use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<u64> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (mut top, mut bottom) = (0u64, 1u64);
    for pair in v[1..].chunks(2) {
        top = top * pair[1] + pair[0] * bottom;
        bottom *= pair[1];
    }
    let mut terms = Vec::new();
    while bottom > 0 {
        terms.push((top / bottom).to_string());
        (top, bottom) = (bottom, top % bottom);
    }
    println!("{}", terms.join(" "));
}
