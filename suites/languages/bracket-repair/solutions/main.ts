import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const text = words[0];
const known = new Map<string, number>();

function cost(i: number, j: number): number {
    if (i >= j) return 0;
    const key = `${i},${j}`;
    if (!known.has(key)) {
        let least = cost(i + 1, j) + 1;
        for (let k = i + 1; k < j; k++) {
            if (["()", "[]", "{}"].includes(text[i] + text[k])) least = Math.min(least, cost(i + 1, k) + cost(k + 1, j));
        }
        known.set(key, least);
    }
    return known.get(key)!;
}

console.log(cost(0, text.length));
