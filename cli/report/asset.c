/* Files that are part of the program; see asset.h. The assembler reads them; the Makefile says that this file depends
 * on them. */
#include "cli/report/asset.h"

#define ASSET(name, path)                                                                                              \
    __asm__(".section .rodata\n"                                                                                       \
            ".global " #name "\n"                                                                                      \
            ".type " #name ", %object\n"                                                                               \
            ".balign 16\n" #name ":\n"                                                                                 \
            ".incbin \"" path "\"\n"                                                                                   \
            ".byte 0\n"                                                                                                \
            ".size " #name ", . - " #name "\n"                                                                         \
            ".previous\n")

ASSET(asset_style, "cli/report/style.css");
ASSET(asset_script, "cli/report/script.js");
