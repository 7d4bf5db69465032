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
    const k = try number(words[1]);
    var people = std.ArrayList(i64).init(memory);
    for (1..n + 1) |person| try people.append(@intCast(person));
    var at: i64 = 0;
    var turn: i64 = 0;
    var sum: i64 = 0;
    while (people.items.len > 1) : (turn += 1) {
        const size: i64 = @intCast(people.items.len);
        const step = k + turn - 1;
        at = @mod(if (@mod(turn, 2) == 0) at + step else at - 1 - step, size);
        const gone = people.orderedRemove(@intCast(at));
        if (size <= 4) sum += gone;
    }
    try print("{d} {d}\n", .{ people.items[0], sum });
}
