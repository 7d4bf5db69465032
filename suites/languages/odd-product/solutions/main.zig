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

pub fn main() !void {
    const words = try readWords();
    const n: usize = @intCast(try number(words[0]));
    var digits = std.ArrayList(usize).init(memory);
    try digits.append(1);
    for (1..n + 1) |i| {
        var carry: usize = 0;
        for (digits.items) |*digit| {
            carry += digit.* * (i * i + 1);
            digit.* = carry % 10;
            carry /= 10;
        }
        while (carry > 0) : (carry /= 10) try digits.append(carry % 10);
    }
    var sum: usize = 0;
    for (digits.items) |digit| sum += digit;
    try print("{d} {d}\n", .{ digits.items.len, sum });
}
