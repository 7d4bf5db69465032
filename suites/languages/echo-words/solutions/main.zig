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
    const text = words[0];
    var length = text.len / 2;
    while (length > 0) : (length -= 1) {
        var best: ?[]const u8 = null;
        for (0..text.len - 2 * length + 1) |i| {
            const part = text[i .. i + length];
            if (std.mem.indexOfPos(u8, text, i + length, part) == null) continue;
            if (best == null or std.mem.lessThan(u8, part, best.?)) best = part;
        }
        if (best) |found| return print("{d} {s}\n", .{ length, found });
    }
    try print("0 -\n", .{});
}
