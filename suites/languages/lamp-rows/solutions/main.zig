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
    const on = try memory.alloc(bool, n + 1);
    @memset(on, false);
    for (1..n + 1) |i| {
        if (@popCount(i) % 2 == 1) continue;
        var lamp = i;
        while (lamp <= n) : (lamp += i) on[lamp] = !on[lamp];
    }
    var count: usize = 0;
    var last: usize = 0;
    for (on, 0..) |lit, lamp| {
        if (lit) {
            count += 1;
            last = lamp;
        }
    }
    try print("{d} {d}\n", .{ count, last });
}
