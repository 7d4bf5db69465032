import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

function near(a: string, b: string): boolean {
    if (a.length !== b.length) return a.slice(1) === b || b.slice(1) === a;
    return [...a].filter((letter, i) => letter !== b[i]).length === 1;
}

const steps = new Map<string, number>([[words[0], 0]]);
for (const [word, taken] of steps) {
    for (const other of words.slice(3)) if (!steps.has(other) && near(word, other)) steps.set(other, taken + 1);
}
console.log(steps.get(words[1]) ?? -1);
