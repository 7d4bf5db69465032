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

fn place(rows: i64, columns: i64, before: i64, last: i64) u64 {
    if (rows == 0) return 1;
    var ways: u64 = 0;
    var c: i64 = 0;
    while (c < columns) : (c += 1) {
        if (@abs(c - last) > 2 and @abs(c - before) != 1) ways += place(rows - 1, columns, last, c);
    }
    return ways;
}

pub fn main() !void {
    const words = try readWords();
    try print("{d}\n", .{place(try number(words[0]), try number(words[1]), 99, 99)});
}
