use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let text: Vec<char> = words()[0].chars().collect();
    let n = text.len();
    let mut cost = vec![vec![0usize; n + 1]; n + 1];
    for i in (0..n).rev() {
        for j in i + 1..=n {
            let mut least = cost[i + 1][j] + 1;
            for k in i + 1..j {
                if matches!((text[i], text[k]), ('(', ')') | ('[', ']') | ('{', '}')) {
                    least = least.min(cost[i + 1][k] + cost[k + 1][j]);
                }
            }
            cost[i][j] = least;
        }
    }
    println!("{}", cost[0][n]);
}
