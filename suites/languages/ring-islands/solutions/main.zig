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
    const rows: usize = @intCast(try number(words[0]));
    const columns: usize = @intCast(try number(words[1]));
    var land = try memory.alloc(bool, rows * columns);
    for (0..rows) |r| {
        for (0..columns) |c| land[r * columns + c] = words[r + 2][c] == '#';
    }
    var islands: usize = 0;
    var largest: usize = 0;
    for (0..rows * columns) |cell| {
        if (!land[cell]) continue;
        var stack = std.ArrayList(usize).init(memory);
        try stack.append(cell);
        land[cell] = false;
        var size: usize = 0;
        while (stack.items.len > 0) {
            const at = stack.items[stack.items.len - 1];
            stack.items.len -= 1;
            size += 1;
            const r = at / columns;
            const c = at % columns;
            const around = [4]usize{
                (r + 1) % rows * columns + c,
                (r + rows - 1) % rows * columns + c,
                r * columns + (c + 1) % columns,
                r * columns + (c + columns - 1) % columns,
            };
            for (around) |other| {
                if (land[other]) {
                    land[other] = false;
                    try stack.append(other);
                }
            }
        }
        islands += 1;
        largest = @max(largest, size);
    }
    try print("{d} {d}\n", .{ islands, largest });
}
