use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let n: usize = words()[0].parse().unwrap();
    let mut least = vec![0usize; n + 1];
    for p in 2..=n {
        if least[p] == 0 {
            for m in (p..=n).step_by(p) {
                if least[m] == 0 {
                    least[m] = p;
                }
            }
        }
    }
    let (mut count, mut total) = (0u64, 0u64);
    for i in 2..=n {
        let (mut rest, mut last, mut steep) = (i, 0, true);
        while rest > 1 && steep {
            steep = least[rest] >= 2 * last;
            last = least[rest];
            rest /= last;
        }
        if steep {
            count += 1;
            total += i as u64;
        }
    }
    println!("{} {}", count, total);
}
