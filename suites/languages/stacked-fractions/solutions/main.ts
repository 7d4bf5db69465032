import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const v = words.map(BigInt);
let top1 = 0n;
let bottom = 1n;
for (let i = 1; i < v.length; i += 2) {
    top1 = top1 * v[i + 1] + v[i] * bottom;
    bottom *= v[i + 1];
}
const terms: bigint[] = [];
while (bottom > 0n) {
    terms.push(top1 / bottom);
    [top1, bottom] = [bottom, top1 % bottom];
}
console.log(terms.join(" "));
