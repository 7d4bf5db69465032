use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let w = words();
    let (rows, columns): (usize, usize) = (w[0].parse().unwrap(), w[1].parse().unwrap());
    let mut cells: Vec<Vec<u8>> = w[2..].iter().map(|row| row.bytes().collect()).collect();
    let (mut islands, mut largest) = (0, 0);
    for r in 0..rows {
        for c in 0..columns {
            if cells[r][c] != b'#' {
                continue;
            }
            let (mut size, mut stack) = (0, vec![(r, c)]);
            cells[r][c] = b'.';
            while let Some((y, x)) = stack.pop() {
                size += 1;
                for (dy, dx) in [(0, 1), (1, 0), (0, columns - 1), (rows - 1, 0)] {
                    let (v, u) = ((y + dy) % rows, (x + dx) % columns);
                    if cells[v][u] == b'#' {
                        cells[v][u] = b'.';
                        stack.push((v, u));
                    }
                }
            }
            islands += 1;
            largest = largest.max(size);
        }
    }
    println!("{} {}", islands, largest);
}
