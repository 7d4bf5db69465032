use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

fn main() {
    let w = words();
    let (rows, columns): (i32, i32) = (w[0].parse().unwrap(), w[1].parse().unwrap());
    let cells: Vec<&[u8]> = w[2..].iter().map(|row| row.as_bytes()).collect();
    let mut waiting = BinaryHeap::from([Reverse((0i32, 0i32, 0i32, 4usize))]);
    let mut done = HashSet::new();
    while let Some(Reverse((paid, r, c, came))) = waiting.pop() {
        if r == rows - 1 && c == columns - 1 {
            println!("{}", paid);
            return;
        }
        if !done.insert((r, c, came)) {
            continue;
        }
        for (d, (dy, dx)) in [(0, 1), (1, 0), (0, -1), (-1, 0)].into_iter().enumerate() {
            let (v, u) = (r + dy, c + dx);
            if v >= 0 && v < rows && u >= 0 && u < columns {
                let turn = if came != 4 && came != d { 3 } else { 0 };
                let toll = (cells[v as usize][u as usize] - b'0') as i32;
                waiting.push(Reverse((paid + toll + turn, v, u, d)));
            }
        }
    }
}
