import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

let product = 1n;
for (let i = 1n; i <= BigInt(words[0]); i++) product *= i * i + 1n;
const digits = product.toString();
console.log(digits.length, [...digits].reduce((sum, digit) => sum + Number(digit), 0));
