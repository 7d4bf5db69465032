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
    var top: i64 = 0;
    var bottom: i64 = 1;
    var i: usize = 1;
    while (i < words.len) : (i += 2) {
        const a = try number(words[i]);
        const b = try number(words[i + 1]);
        top = top * b + a * bottom;
        bottom *= b;
    }
    while (bottom > 0) {
        try print("{d} ", .{@divTrunc(top, bottom)});
        const rest = @mod(top, bottom);
        top = bottom;
        bottom = rest;
    }
    try print("\n", .{});
}
