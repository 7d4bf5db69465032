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
    var x = [_]usize{0} ** 1000;
    var y = [_]usize{0} ** 1000;
    var a: usize = @intCast(try number(words[0]));
    var b: usize = @intCast(try number(words[1]));
    const n: usize = @intCast(try number(words[2]));
    for (0..4) |d| {
        x[d] = a % 10;
        y[d] = b % 10;
        a /= 10;
        b /= 10;
    }
    for (3..n + 1) |i| {
        var carry = i;
        for (0..1000) |d| {
            carry += x[d] + y[d];
            x[d] = y[d];
            y[d] = carry % 10;
            carry /= 10;
        }
    }
    var length: usize = 1;
    var sevens: usize = 0;
    for (y, 0..) |digit, d| {
        if (digit != 0) length = d + 1;
        if (digit == 7) sevens += 1;
    }
    try print("{d} {d}\n", .{ length, sevens });
}
