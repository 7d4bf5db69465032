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

const mod = 1_000_000_007;

pub fn main() !void {
    const words = try readWords();
    const n: usize = @intCast(try number(words[0]));
    const m: usize = @intCast(try number(words[1]));
    var ways = [_][10]u64{[_]u64{0} ** 10} ** 3;
    for (&ways) |*row| row[0] = 1;
    for (1..n) |_| {
        var ends = [3]u64{ 0, 0, 0 };
        for (&ways, 0..) |*row, letter| {
            for (row[0..m]) |count| ends[letter] = (ends[letter] + count) % mod;
            var run = m - 1;
            while (run > 0) : (run -= 1) row[run] = row[run - 1];
        }
        ways[0][0] = (ends[1] + ends[2]) % mod;
        ways[1][0] = (ends[0] + ends[2]) % mod;
        ways[2][0] = ends[1];
    }
    var total: u64 = 0;
    for (ways) |row| {
        for (row[0..m]) |count| total += count;
    }
    try print("{d}\n", .{total % mod});
}
