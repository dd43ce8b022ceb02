# What the scripts share that run what a page of docs/ says. To be sourced after lib.sh, in a scratch directory.

# split_page PAGE: its blocks in their order: those with a name become files in work/, "sh" ones scripts; what stands behind
# "sh" has to be there.
split_page() {
    mkdir blocks work
    awk '/^```[a-z]/ { language = substr($1, 4); name = $2; inside = 1; n++
                       file = sprintf("blocks/%02d", n); print language, name > (file ".is"); printf "" > (file ".text"); next }
         /^```$/ { inside = 0 }
         inside { print > (file ".text") }' "$1"
    is "every program and experiment on the page has a name" "" "$(cat blocks/*.is | grep -E '^(python|yaml) *$')"
    for is in blocks/*.is; do
        read -r language name <"$is"
        case $language in python | yaml | text) [ -z "$name" ] || cp "${is%.is}.text" "work/$name" ;; esac
    done
}

# What a block needs beyond Python itself: why it can't be tried here, or nothing.
lacks() {
    case $1 in
    '') ;;
    study) # without Optuna, a study that was made with it
        [ -e work/study.db ] || command -v sqlite3 >/dev/null || echo "neither Optuna nor sqlite3 is here"
        [ -e work/study.db ] || sqlite3 work/study.db <"$SOURCE/tests/data/optuna/optuna-5.sql" ;;
    *) python3 -c "import $1" 2>/dev/null || echo "python3 has no module $1 (pip install $1)" ;;
    esac
}

# run_page: the scripts, in work/.
run_page() {
    for is in blocks/*.is; do
        read -r language name <"$is"
        [ "$language" = sh ] || continue
        words="$(head -1 "${is%.is}.text") ..."
        why=$(lacks "$name")
        if [ -n "$why" ]; then
            skip "$words" "$why"
        else
            claim "$words" bash -ec "cd work && . ../${is%.is}.text"
        fi
    done
}
