import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const rows = Number(words[0]);
const columns = Number(words[1]);
const cells: string[][] = words.slice(2).map((row) => row.split(""));
let islands = 0;
let largest = 0;
for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
        if (cells[r][c] !== "#") continue;
        const stack: [number, number][] = [[r, c]];
        cells[r][c] = ".";
        let size = 0;
        while (stack.length > 0) {
            const [y, x] = stack.pop()!;
            size++;
            for (const [dy, dx] of [[0, 1], [1, 0], [0, columns - 1], [rows - 1, 0]]) {
                const v = (y + dy) % rows;
                const u = (x + dx) % columns;
                if (cells[v][u] === "#") {
                    cells[v][u] = ".";
                    stack.push([v, u]);
                }
            }
        }
        islands++;
        largest = Math.max(largest, size);
    }
}
console.log(islands, largest);
