/* Decodes frames from the bytes of a serial line, read as hexadecimal text.
 *
 * No frame is longer than 260 bytes. Of longer ones only the count is kept: they are bad by their length. */
#include <stdbool.h>
#include <stdio.h>

enum { FLAG = 0x7E, ESCAPE = 0x7D, LONGEST = 260 };

static unsigned char frame[LONGEST];
static unsigned long long length; /* unstuffed bytes, also those that are not kept */
static bool raw;                  /* whether there was any byte since the last flag */
static bool escaped;

static unsigned checksum(unsigned size)
{
    unsigned sum = 0xFFFF;
    for (unsigned i = 0; i < size; i++) {
        sum ^= frame[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? (sum >> 1) ^ 0xA001 : sum >> 1;
    }
    return sum;
}

static void finish(void)
{
    if (!raw)
        return;
    if (escaped) {
        puts("bad escape");
    } else if (length < 5) {
        puts("bad short");
    } else if (length != 5u + frame[2]) {
        puts("bad length");
    } else if (checksum((unsigned)length - 2) != (frame[length - 2] | (unsigned)frame[length - 1] << 8)) {
        puts("bad checksum");
    } else {
        printf("frame %02X %02X %s", frame[0], frame[1], frame[2] ? "" : "-");
        for (unsigned i = 0; i < frame[2]; i++)
            printf("%02X", frame[3 + i] == 0x7E && frame[0] == 0x1F ? 0x7D : frame[3 + i]);
        puts("");
    }
}

int main(void)
{
    unsigned byte;
    bool inside = false;
    while (scanf("%2x", &byte) == 1) {
        if (byte == FLAG) {
            if (inside)
                finish();
            inside = true;
            raw = escaped = false;
            length = 0;
            continue;
        }
        raw = true;
        if (!escaped && byte == ESCAPE) {
            escaped = true;
            continue;
        }
        if (length < LONGEST)
            frame[length] = (unsigned char)(escaped ? byte ^ 0x20 : byte);
        length++;
        escaped = false;
    }
    return 0;
}
