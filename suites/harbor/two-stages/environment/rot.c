int rot(int c)
{
    if (c >= 'a' && c <= 'z')
        return (c - 'a' + 13) % 26 + 'a';
    if (c >= 'A' && c <= 'Z')
        return (c - 'A' + 13) % 26 + 'A';
    return c;
}
