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

const far = 1_000_000_000;

pub fn main() !void {
    const words = try readWords();
    const rows = try number(words[0]);
    const columns = try number(words[1]);
    const moves = [4][2]i64{ .{ 0, 1 }, .{ 1, 0 }, .{ 0, -1 }, .{ -1, 0 } };
    var cost = [_][30][4]i64{[_][4]i64{[_]i64{far} ** 4} ** 30} ** 30;
    cost[0][0] = [_]i64{0} ** 4;
    var changed = true;
    while (changed) {
        changed = false;
        for (0..@intCast(rows)) |r| {
            for (0..@intCast(columns)) |c| {
                for (moves, 0..) |move, d| {
                    const v = @as(i64, @intCast(r)) + move[0];
                    const u = @as(i64, @intCast(c)) + move[1];
                    if (v < 0 or v >= rows or u < 0 or u >= columns) continue;
                    const y: usize = @intCast(v);
                    const x: usize = @intCast(u);
                    for (cost[r][c], 0..) |before, e| {
                        const turn: i64 = if (e == d) 0 else 3;
                        const paid = before + words[y + 2][x] - '0' + turn;
                        if (paid < cost[y][x][d]) {
                            cost[y][x][d] = paid;
                            changed = true;
                        }
                    }
                }
            }
        }
    }
    const last = cost[@intCast(rows - 1)][@intCast(columns - 1)];
    try print("{d}\n", .{@min(@min(last[0], last[1]), @min(last[2], last[3]))});
}
