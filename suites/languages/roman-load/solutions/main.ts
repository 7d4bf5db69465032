import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const [a, b] = words.map(Number);
const length1 = [0, 1, 2, 3, 2, 1, 2, 3, 4, 2];
let total = 0;
let most = 0;
let best = 0;
for (let number = a; number <= b; number++) {
    const letters = [...String(number % 1000)].reduce((sum, digit) => sum + length1[Number(digit)], Math.floor(number / 1000));
    total += letters;
    if (letters > most) {
        most = letters;
        best = number;
    }
}
console.log(total, best);
