import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const [rows, columns, y, x, k] = words.map(Number);
const sand: number[][] = Array.from({ length: rows }, () => Array(columns).fill(0));
sand[y][x] = k;
let again = true;
while (again) {
    again = false;
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
            const times = Math.floor(sand[r][c] / 4);
            if (times === 0) continue;
            again = true;
            sand[r][c] %= 4;
            if (r > 0) sand[r - 1][c] += times;
            if (r + 1 < rows) sand[r + 1][c] += times;
            sand[r][(c + 1) % columns] += times;
            sand[r][(c + columns - 1) % columns] += times;
        }
    }
}
const all = sand.flat();
console.log(all.reduce((a, b) => a + b), all.filter((grains) => grains === 3).length);
