import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const text = words[0];
let answer = "0 -";
for (let length = Math.floor(text.length / 2); length > 0 && answer === "0 -"; length--) {
    const found: string[] = [];
    for (let i = 0; i + 2 * length <= text.length; i++) {
        const part = text.slice(i, i + length);
        if (text.indexOf(part, i + length) >= 0) found.push(part);
    }
    if (found.length > 0) answer = `${length} ${found.sort()[0]}`;
}
console.log(answer);
