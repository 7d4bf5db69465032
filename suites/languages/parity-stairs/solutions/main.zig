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
    const v = try memory.alloc(i64, n);
    const score = try memory.alloc(i64, n); // length times ten million, and the sum
    var best: i64 = 0;
    for (0..n) |i| {
        v[i] = try number(words[i + 1]);
        score[i] = 0;
        for (0..i) |j| {
            if (v[j] < v[i] and @mod(v[i] - v[j], 2) == 1) score[i] = @max(score[i], score[j]);
        }
        score[i] += 10_000_000 + v[i];
        best = @max(best, score[i]);
    }
    try print("{d} {d}\n", .{ @divTrunc(best, 10_000_000), @mod(best, 10_000_000) });
}
