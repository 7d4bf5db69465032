import * as fs from "fs";

const words: string[] = fs.readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");

const [rows, columns, m] = words.map(Number);
let [top1, bottom, left, right] = [0, rows - 1, 0, columns - 1];
let value = 0;
let total = 0;

function visit(r: number, c: number): void {
    value++;
    if ((r + c) % m === 0) total += value;
}

while (top1 <= bottom && left <= right) {
    for (let c = left; c <= right; c++) visit(top1, c);
    for (let r = top1 + 1; r <= bottom; r++) visit(r, right);
    if (top1 < bottom) for (let c = right - 1; c >= left; c--) visit(bottom, c);
    if (left < right) for (let r = bottom - 1; r > top1; r--) visit(r, left);
    top1++;
    bottom--;
    left++;
    right--;
}
console.log(total);
