/* The colours of pictures, by what they mean: chosen so that people with any kind of colour vision tell them apart
 * (after Okabe and Ito), on a light page and on a dark one.
 *
 *     INK(ID, class, light, dark, tint, sign)    class: in SVG; tint: in a terminal, and where that does not tell marks
 *                                                apart this character, "": dots (sign.h) */
INK(TEXT, "t", 0x1f2328, 0xe6edf3, TINT_NONE, "-")
INK(QUIET, "q", 0x59636e, 0x9da7b1, TINT_QUIET, "")
INK(GRID, "g", 0xe6e9ed, 0x272e37, TINT_QUIET, "")
INK(FRAME, "f", 0xa8b0ba, 0x4d5762, TINT_QUIET, "")
INK(PLAIN, "a", 0x0072b2, 0x56b4e9, TINT_BUSY, "")
INK(BEST, "b", 0xd55e00, 0xff9d4d, TINT_GOOD, "*")
INK(FAINT, "n", 0xb4bcc6, 0x59636e, TINT_QUIET, ",")
INK(GOOD, "d", 0x00875f, 0x2fc79a, TINT_GOOD, "+")
INK(BAD, "x", 0xb3261e, 0xff7b72, TINT_BAD, "x")
INK(WARN, "w", 0xc98500, 0xf0b849, TINT_WARN, "!")
INK(EARLY, "e", 0x4fa3d1, 0x9fd4f2, TINT_STRONG, "=")
INK(SERIES_1, "s1", 0x0072b2, 0x56b4e9, TINT_BUSY, "A")
INK(SERIES_2, "s2", 0xe69f00, 0xf0b849, TINT_WARN, "B")
INK(SERIES_3, "s3", 0x009e73, 0x2fc79a, TINT_GOOD, "C")
INK(SERIES_4, "s4", 0xcc79a7, 0xe39ac4, TINT_STRONG, "D")
INK(SERIES_5, "s5", 0x7a5fb0, 0xa48fdc, TINT_NONE, "E")
INK(SERIES_6, "s6", 0x4fa3d1, 0x9fd4f2, TINT_BUSY, "F")
INK(SERIES_7, "s7", 0x8a6d3b, 0xc4a46b, TINT_WARN, "G")
INK(SERIES_8, "s8", 0x737b85, 0xa0a8b2, TINT_QUIET, "H")
