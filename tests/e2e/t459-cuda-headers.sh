#!/bin/bash
# what the pretended CUDA of the tests declares is what NVIDIA's headers do: each function's type, each constant's value, the structures' sizes
. "$(dirname "$0")/lib.sh"
scratch
needs c++ g++
include=$SOURCE/tests/cuda/include
theirs=
for directory in /usr/local/cuda*/include $GANNET_CUDA_INCLUDE; do
    [ -f "$directory/cublasLt.h" ] && theirs=$directory
done
[ -n "$theirs" ] || skip_all "cublasLt.h is not here (below /usr/local/cuda*, or where GANNET_CUDA_INCLUDE says)"
headers="cuda_runtime_api cublasLt"
[ ! -f "$theirs/cudnn.h" ] || headers+=" cudnn"

# A program that says all that these headers of ours declare, by the names alone.
print_all() {
    local header files=()
    for header in $headers; do
        echo "#include <$header.h>"
        files+=("$include/$header.h")
    done
    printf '%s\n' '#include <stdio.h>' '#include <typeinfo>' 'int main() {'
    grep -ohE '\b(cuda[A-Z]|cublasLt[A-Z]|cudnn[A-Z])[A-Za-z0-9_]*\(' "${files[@]}" | tr -d '(' | sort -u |
        sed 's/.*/printf("& %s\\n", typeid(decltype(&)).name());/'
    grep -ohE '^ *(cuda[A-Za-z]+|CUBLAS[A-Za-z_0-9]+|CUDNN[A-Z_0-9]+) = |X\(cuda[A-Za-z]+,' "${files[@]}" "$include/library_types.h" |
        sed -E 's/X\(|[, =]//g' | sort -u | sed 's/.*/printf("& %lld\\n", (long long)(&));/'
    grep -ohE '^} [A-Za-z_]+(Result|Opaque|Algo|Info)(_t)?;' "${files[@]}" | tr -d '} ;' | sort -u |
        sed 's/.*/printf("size of & %zu\\n", sizeof(&));/'
    echo 'return 0; }'
}

print_all >all.cc
claim "ours compile" c++ -w -I"$include" -I"$SOURCE" all.cc -o ours
claim "and so do NVIDIA's, with the same names" c++ -w -I"$theirs" all.cc -o theirs
./ours >ours.txt
./theirs >theirs.txt
claim "there is something to compare" test "$(wc -l <ours.txt)" -gt 100
claim "both say the same" diff ours.txt theirs.txt
finish
