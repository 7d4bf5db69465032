import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

let a = BigInt(words[0]);
let b = BigInt(words[1]);
for (let i = 3n; i <= BigInt(words[2]); i++) [a, b] = [b, a + b + i];
const digits = b.toString();
console.log(digits.length, digits.split("7").length - 1);
