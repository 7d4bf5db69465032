const std = @import("std");

var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
const memory = arena.allocator();

fn readWords() ![][]const u8 {
    const text = try std.io.getStdIn().readToEndAlloc(memory, 1 << 20);
    var list = std.ArrayList([]const u8).init(memory);
    var words = std.mem.tokenizeAny(u8, text, " \t\r\n");
    while (words.next()) |word| try list.append(word);
    return list.items;
}

fn number(word: []const u8) !i64 {
    return std.fmt.parseInt(i64, word, 10);
}

fn print(comptime format: []const u8, values: anytype) !void {
    try std.io.getStdOut().writer().print(format, values);
}

var value: i64 = 0;
var total: i64 = 0;

fn visit(r: i64, c: i64, m: i64) void {
    value += 1;
    if (@mod(r + c, m) == 0) total += value;
}

pub fn main() !void {
    const words = try readWords();
    const m = try number(words[2]);
    var top: i64 = 0;
    var left: i64 = 0;
    var bottom = try number(words[0]) - 1;
    var right = try number(words[1]) - 1;
    while (top <= bottom and left <= right) {
        var c = left;
        while (c <= right) : (c += 1) visit(top, c, m);
        var r = top + 1;
        while (r <= bottom) : (r += 1) visit(r, right, m);
        if (top < bottom) {
            c = right - 1;
            while (c >= left) : (c -= 1) visit(bottom, c, m);
        }
        if (left < right) {
            r = bottom - 1;
            while (r > top) : (r -= 1) visit(r, left, m);
        }
        top += 1;
        bottom -= 1;
        left += 1;
        right -= 1;
    }
    try print("{d}\n", .{total});
}
