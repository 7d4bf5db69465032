import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const [n, k] = words.map(Number);
const people = Array.from({ length: n }, (_, i) => i + 1);
const gone: number[] = [];
let at = 0;
for (let turn = 0; people.length > 1; turn++) {
    const size = people.length;
    const step = (k + turn - 1) % size;
    at = turn % 2 === 0 ? (at + step) % size : (at - 1 - step + 2 * size) % size;
    gone.push(...people.splice(at, 1));
}
console.log(people[0], gone.slice(-3).reduce((a, b) => a + b));
