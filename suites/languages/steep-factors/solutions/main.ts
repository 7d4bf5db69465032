import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const n = Number(words[0]);
const least = new Int32Array(n + 1);
for (let p = 2; p <= n; p++) {
    if (least[p] !== 0) continue;
    for (let m = p; m <= n; m += p) if (least[m] === 0) least[m] = p;
}
let count = 0;
let total = 0;
for (let i = 2; i <= n; i++) {
    let last = 0;
    let steep = true;
    for (let rest = i; rest > 1 && steep; rest /= last) {
        steep = least[rest] >= 2 * last;
        last = least[rest];
    }
    if (steep) {
        count++;
        total += i;
    }
}
console.log(count, total);
