use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<i64> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (rows, columns, m) = (v[0], v[1], v[2]);
    let (mut value, mut total) = (0i64, 0i64);
    let mut visit = |r: i64, c: i64| {
        value += 1;
        if (r + c) % m == 0 {
            total += value;
        }
    };
    let (mut top, mut bottom, mut left, mut right) = (0, rows - 1, 0, columns - 1);
    while top <= bottom && left <= right {
        for c in left..=right {
            visit(top, c);
        }
        for r in top + 1..=bottom {
            visit(r, right);
        }
        if top < bottom {
            for c in (left..right).rev() {
                visit(bottom, c);
            }
        }
        if left < right {
            for r in (top + 1..bottom).rev() {
                visit(r, left);
            }
        }
        top += 1;
        bottom -= 1;
        left += 1;
        right -= 1;
    }
    println!("{}", total);
}
