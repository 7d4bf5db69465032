use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

const MOD: u64 = 1_000_000_007;

fn main() {
    let v: Vec<usize> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (n, m) = (v[0], v[1]);
    let mut ways = vec![vec![0u64; m + 1]; 3];
    for row in ways.iter_mut() {
        row[1] = 1;
    }
    for _ in 1..n {
        let ends: Vec<u64> = ways.iter().map(|row| row.iter().sum::<u64>() % MOD).collect();
        for row in ways.iter_mut() {
            for run in (2..=m).rev() {
                row[run] = row[run - 1];
            }
        }
        ways[0][1] = (ends[1] + ends[2]) % MOD;
        ways[1][1] = (ends[0] + ends[2]) % MOD;
        ways[2][1] = ends[1];
    }
    println!("{}", ways.iter().flatten().sum::<u64>() % MOD);
}
