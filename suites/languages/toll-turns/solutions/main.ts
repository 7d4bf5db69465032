import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const rows = Number(words[0]);
const columns = Number(words[1]);
const tolls = words.slice(2).map((row) => [...row].map(Number));
const moves = [[0, 1], [1, 0], [0, -1], [-1, 0]];
const cost: number[][][] = tolls.map((row) => row.map(() => Array(4).fill(Infinity)));
cost[0][0] = [0, 0, 0, 0];
let changed = true;
while (changed) {
    changed = false;
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
            moves.forEach(([dy, dx], d) => {
                const toll = tolls[r + dy]?.[c + dx];
                if (toll === undefined) return;
                const least = Math.min(...cost[r][c].map((paid, e) => paid + (e === d ? 0 : 3))) + toll;
                if (least < cost[r + dy][c + dx][d]) {
                    cost[r + dy][c + dx][d] = least;
                    changed = true;
                }
            });
        }
    }
}
console.log(Math.min(...cost[rows - 1][columns - 1]));
