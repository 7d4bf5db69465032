import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const MOD = 1000000007;
const [n, m] = words.map(Number);
let ways: number[][] = [0, 1, 2].map(() => [1, ...Array(m - 1).fill(0)]);
for (let i = 1; i < n; i++) {
    const ends = ways.map((row) => row.reduce((a, b) => a + b) % MOD);
    const begun = [(ends[1] + ends[2]) % MOD, (ends[0] + ends[2]) % MOD, ends[1]];
    ways = ways.map((row, letter) => [begun[letter], ...row.slice(0, m - 1)]);
}
console.log(ways.flat().reduce((a, b) => a + b) % MOD);
