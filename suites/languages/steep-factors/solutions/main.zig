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
    const least = try memory.alloc(usize, n + 1);
    @memset(least, 0);
    for (2..n + 1) |p| {
        if (least[p] != 0) continue;
        var m = p;
        while (m <= n) : (m += p) {
            if (least[m] == 0) least[m] = p;
        }
    }
    var count: usize = 0;
    var total: usize = 0;
    for (2..n + 1) |i| {
        var rest = i;
        var last: usize = 0;
        while (rest > 1 and least[rest] >= 2 * last) {
            last = least[rest];
            rest /= last;
        }
        if (rest == 1) {
            count += 1;
            total += i;
        }
    }
    try print("{d} {d}\n", .{ count, total });
}
