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
    const first: usize = @intCast(try number(words[0]));
    const last: usize = @intCast(try number(words[1]));
    const length = [_]usize{ 0, 1, 2, 3, 2, 1, 2, 3, 4, 2 };
    var total: usize = 0;
    var most: usize = 0;
    var best: usize = 0;
    for (first..last + 1) |n| {
        const letters = n / 1000 + length[n / 100 % 10] + length[n / 10 % 10] + length[n % 10];
        total += letters;
        if (letters > most) {
            most = letters;
            best = n;
        }
    }
    try print("{d} {d}\n", .{ total, best });
}
