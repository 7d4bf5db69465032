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

fn near(a: []const u8, b: []const u8) bool {
    if (a.len != b.len) return std.mem.eql(u8, a[1..], b) or std.mem.eql(u8, b[1..], a);
    var other: usize = 0;
    for (a, b) |x, y| {
        if (x != y) other += 1;
    }
    return other == 1;
}

pub fn main() !void {
    const words = try readWords();
    var steps = std.StringHashMap(i64).init(memory);
    var queue = std.ArrayList([]const u8).init(memory);
    try steps.put(words[0], 0);
    try queue.append(words[0]);
    var head: usize = 0;
    while (head < queue.items.len) : (head += 1) {
        const word = queue.items[head];
        for (words[3..]) |other| {
            if (!steps.contains(other) and near(word, other)) {
                try steps.put(other, steps.get(word).? + 1);
                try queue.append(other);
            }
        }
    }
    try print("{d}\n", .{steps.get(words[1]) orelse -1});
}
