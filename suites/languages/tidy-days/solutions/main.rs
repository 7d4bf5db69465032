use std::io::Read;

fn words() -> Vec<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    text.split_whitespace().map(String::from).collect()
}

fn digits(n: u32) -> u32 {
    if n == 0 { 0 } else { n % 10 + digits(n / 10) }
}

fn main() {
    let v: Vec<u32> = words().iter().map(|w| w.parse().unwrap()).collect();
    let (mut weekday, mut count) = (5, 0); // 1 January 1600 was a Saturday; 0 is Monday
    for year in 1600..=v[1] {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for month in 1..=12 {
            for day in 1..=days[month - 1] {
                let sum = digits(day) + digits(month as u32) + digits(year);
                if year >= v[0] && sum % (weekday + 1) == 0 {
                    count += 1;
                }
                weekday = (weekday + 1) % 7;
            }
        }
    }
    println!("{}", count);
}
