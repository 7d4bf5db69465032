import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const v = words.slice(1).map(Number);
const best: [number, number][] = [];
const above = (a: [number, number], b: [number, number]) => a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
let top1: [number, number] = [0, 0];
v.forEach((value, i) => {
    let mine: [number, number] = [1, value];
    for (let j = 0; j < i; j++) {
        const option: [number, number] = [best[j][0] + 1, best[j][1] + value];
        if (v[j] < value && (value - v[j]) % 2 === 1 && above(option, mine)) mine = option;
    }
    best.push(mine);
    if (above(mine, top1)) top1 = mine;
});
console.log(top1[0], top1[1]);
