import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

function digits(n: number): number {
    return n === 0 ? 0 : (n % 10) + digits(Math.floor(n / 10));
}

const day = new Date(Date.UTC(Number(words[0]), 0, 1));
let count = 0;
while (day.getUTCFullYear() <= Number(words[1])) {
    const sum = digits(day.getUTCDate()) + digits(day.getUTCMonth() + 1) + digits(day.getUTCFullYear());
    if (sum % (day.getUTCDay() || 7) === 0) count++;
    day.setUTCDate(day.getUTCDate() + 1);
}
console.log(count);
