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

fn closing(bracket: u8) u8 {
    return switch (bracket) {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        else => 0,
    };
}

pub fn main() !void {
    const words = try readWords();
    const text = words[0];
    const n = text.len;
    var cost = [_][92]usize{[_]usize{0} ** 92} ** 92;
    var i = n;
    while (i > 0) {
        i -= 1;
        for (i + 1..n + 1) |j| {
            cost[i][j] = cost[i + 1][j] + 1;
            for (i + 1..j) |k| {
                if (closing(text[i]) == text[k]) cost[i][j] = @min(cost[i][j], cost[i + 1][k] + cost[k + 1][j]);
            }
        }
    }
    try print("{d}\n", .{cost[0][n]});
}
