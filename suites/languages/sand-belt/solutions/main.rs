use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn main() {
    let v: Vec<usize> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (rows, columns) = (v[0], v[1]);
    let mut sand = vec![vec![0usize; columns]; rows];
    sand[v[2]][v[3]] = v[4];
    let mut again = true;
    while again {
        again = false;
        for r in 0..rows {
            for c in 0..columns {
                let grains = sand[r][c];
                if grains < 4 {
                    continue;
                }
                again = true;
                sand[r][c] = grains % 4;
                if r > 0 {
                    sand[r - 1][c] += grains / 4;
                }
                if r + 1 < rows {
                    sand[r + 1][c] += grains / 4;
                }
                sand[r][(c + 1) % columns] += grains / 4;
                sand[r][(c + columns - 1) % columns] += grains / 4;
            }
        }
    }
    let all: Vec<usize> = sand.into_iter().flatten().collect();
    println!("{} {}", all.iter().sum::<usize>(), all.iter().filter(|&&g| g == 3).count());
}
