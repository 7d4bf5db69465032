import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const v = words.map(Number);

function gcd(a: number, b: number): number {
    return b === 0 ? a : gcd(b, a % b);
}

let t = 0;
let step = 1;
let possible = true;
for (let i = 1; i < v.length && possible; i += 2) {
    let tries = 0;
    while (t % v[i] !== v[i + 1] && tries++ < v[i]) t += step;
    possible = t % v[i] === v[i + 1];
    step = (step / gcd(step, v[i])) * v[i];
}
console.log(possible ? t : "never");
