/* Decodes frames from the bytes of a serial line, read as hexadecimal text. */
#include <stdio.h>
#include <string.h>

static char frame[64];
static int length;

static int checksum(const char *data, int size)
{
    short sum = 0xFFFF;
    for (int i = 0; i < size; i++) {
        sum ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? (sum >> 1) ^ 0xA001 : sum >> 1;
    }
    return sum;
}

static void finish(void)
{
    if (length == 0)
        return;
    if (length < 5) {
        printf("bad short\n");
        return;
    }
    int n = frame[2];
    if (n != length - 5) {
        printf("bad length\n");
        return;
    }
    if (checksum(frame, length) != 0) {
        printf("bad checksum\n");
        return;
    }
    printf("frame %02X %02X ", frame[0], frame[1]);
    for (int i = 0; i < n; i++)
        printf("%02X", frame[3 + i]);
    printf("\n");
}

int main(void)
{
    unsigned byte;
    int inside = 0, escaped = 0;
    while (scanf("%2x", &byte) == 1) {
        if (byte == 0x7E) {
            if (inside)
                finish();
            inside = !inside;
            length = 0;
        } else if (byte == 0x7D) {
            escaped = 1;
        } else if (inside) {
            frame[length++] = escaped ? byte ^ 0x20 : byte;
            escaped = 0;
        }
    }
    return 0;
}
