struct counts {
    long lines, words, bytes;
};

struct counts count(const char *text, long length);
