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
    var v: [5]usize = undefined;
    for (&v, 0..) |*place, i| place.* = @intCast(try number(words[i]));
    const rows = v[0];
    const columns = v[1];
    var sand = [_][25]usize{[_]usize{0} ** 25} ** 25;
    sand[v[2]][v[3]] = v[4];
    var again = true;
    while (again) {
        again = false;
        for (0..rows) |r| {
            for (0..columns) |c| {
                const times = sand[r][c] / 4;
                if (times == 0) continue;
                again = true;
                sand[r][c] %= 4;
                if (r > 0) sand[r - 1][c] += times;
                if (r + 1 < rows) sand[r + 1][c] += times;
                sand[r][(c + 1) % columns] += times;
                sand[r][(c + columns - 1) % columns] += times;
            }
        }
    }
    var grains: usize = 0;
    var threes: usize = 0;
    for (sand) |row| {
        for (row) |cell| {
            grains += cell;
            if (cell == 3) threes += 1;
        }
    }
    try print("{d} {d}\n", .{ grains, threes });
}
