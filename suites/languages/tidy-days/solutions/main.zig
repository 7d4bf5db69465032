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

fn digits(n: i64) i64 {
    return if (n == 0) 0 else @rem(n, 10) + digits(@divTrunc(n, 10));
}

fn days(year: i64, month: i64) i64 {
    const leap = @mod(year, 4) == 0 and (@mod(year, 100) != 0 or @mod(year, 400) == 0);
    return switch (month) {
        2 => if (leap) 29 else 28,
        4, 6, 9, 11 => 30,
        else => 31,
    };
}

pub fn main() !void {
    const words = try readWords();
    const first = try number(words[0]);
    const last = try number(words[1]);
    var weekday: i64 = 6;
    var count: i64 = 0;
    var year: i64 = 1600;
    while (year <= last) : (year += 1) {
        var month: i64 = 1;
        while (month <= 12) : (month += 1) {
            var day: i64 = 1;
            while (day <= days(year, month)) : (day += 1) {
                const sum = digits(day) + digits(month) + digits(year);
                if (year >= first and @mod(sum, weekday) == 0) count += 1;
                weekday = @mod(weekday, 7) + 1;
            }
        }
    }
    try print("{d}\n", .{count});
}
