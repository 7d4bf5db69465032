import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const [n, m] = words.map(Number);

function place(row: number, before: number, last: number): number {
    if (row === n) return 1;
    let ways = 0;
    for (let c = 0; c < m; c++) {
        if (Math.abs(c - last) > 2 && Math.abs(c - before) !== 1) ways += place(row + 1, last, c);
    }
    return ways;
}

console.log(place(0, 99, 99));
