import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const a = BigInt(words[0]);
let power = a;
let e = 1;
while (!power.toString().includes(words[1])) {
    power *= a;
    e++;
}
console.log(e);
