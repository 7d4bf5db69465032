import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const n = Number(words[0]);
const on: boolean[] = Array(n + 1).fill(false);
for (let i = 1; i <= n; i++) {
    if ((i.toString(2).split("1").length - 1) % 2 === 1) continue;
    for (let lamp = i; lamp <= n; lamp += i) on[lamp] = !on[lamp];
}
console.log(on.filter((lit) => lit).length, Math.max(on.lastIndexOf(true), 0));
