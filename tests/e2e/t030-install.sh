#!/bin/bash
# what is installed is whole, its pages link only to what came with them, and uninstall takes it away again
. "$(dirname "$0")/lib.sh"
scratch
build=$GANNET_BUILD
to=$SCRATCH/to
share=$to/usr/share/gannet

# make_it GOAL...: of what was built, without building it anew.
make_it() {
    make -s -C "$SOURCE" BUILD="$build" SANITIZE="$SANITIZE" DESTDIR="$to" PREFIX=/usr -o all "$@"
}
make_it -n install >/dev/null 2>&1 || skip_all "make can't be run here: $(make_it -n install 2>&1 | tail -1)"

claim "make install installs" make_it install
for file in bin/gannet bin/gannet-worker bin/gannet-trainer bin/gannet-reaper include/gannet/strategy.h lib/gannet/plugins/hello.so lib/gannet/lines.so lib/gannet/cupti.so \
    share/gannet/experiment.schema.json share/gannet/examples/digits.yaml share/gannet/clients/python/gannet.py share/gannet/clients/python/gannet_torch.py \
    share/gannet/clients/r/gannet.R share/gannet/clients/julia/Gannet.jl share/doc/gannet/README.md \
    share/man/man1/gannet.1 share/man/man1/gannet-run.1 share/man/man5/gannet-experiment.5 \
    share/bash-completion/completions/gannet share/zsh/site-functions/_gannet share/fish/vendor_completions.d/gannet.fish; do
    claim "there is $file" test -s "$to/usr/$file"
done

for module in slurm.so hdf5.so; do
    if [ -f "$build/$module" ]; then
        claim "there is lib/gannet/$module" test -s "$to/usr/lib/gannet/$module"
    else
        skip "there is lib/gannet/$module" "gannet was built without it"
    fi
done

# The links of the pages as a browser would follow them: those to other sites are not ours to check.
broken=$(find "$share" -name '*.md' | while read -r page; do
    grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "${page#"$share"/}: $link"
    done
done)
is "every link of an installed page leads to an installed file" "" "$broken"
matches "and there are links" '^[0-9]{2,}$' "$(grep -ohE '\]\([^)# ]+' -r "$share" --include='*.md' | wc -l)"
is "no installed file names the place where it was built" "" "$(grep -rlF "$SOURCE/" "$to")"
PATH=$to/usr/bin:$PATH
claim "what was installed runs" gannet run "$share/examples/synth.yaml" --dir r --set limits.max_trials=4 -q
claim "with the installed plug-in" gannet strategies "$to/usr/lib/gannet/plugins/hello.so"

# pip builds where setup.py lies, which who installs the module need not own.
if python3 -c 'import setuptools' 2>/dev/null; then
    held=$(find "$share/clients" | sort)
    claim "the Python module can be built" sh -c "cd '$share/clients/python' && python3 -B setup.py -q build egg_info"
    is "and that writes nothing beside it" "$held" "$(find "$share/clients" | sort)"
else
    skip "the Python module can be built" "python3 has no setuptools (apt-get install python3-setuptools)"
fi

touch "$to/usr/lib/gannet/plugins/theirs.so"
claim "make uninstall takes it away again" make_it uninstall
is "and leaves what others put there" "$to/usr/lib/gannet/plugins/theirs.so" "$(find "$to" -type f -o -type l)"

# From another directory the same programs are made there.
mkdir elsewhere
plan=$(cd elsewhere && env -u MAKEFLAGS -u MAKEOVERRIDES -u BUILD -u SANITIZE make -n -f "$SOURCE/Makefile" 2>&1)
matches "make -f from another directory builds into that directory" "$SCRATCH/elsewhere/build/bin/gannet" "$plan"
is "and nothing in the source tree" "" "$(grep -oE -e '-o build/[^ ]*' <<<"$plan")"
plan=$(make -n -C "$SOURCE" BUILD="$SCRATCH/out" demo 2>&1)
matches "make BUILD=DIR demo runs there, too" "$SCRATCH/out/demo" "$plan"

# A libslurm that the module does not fit: one without anything in it.
mkdir -p include/slurm
echo '#define SLURM_VERSION_NUMBER 0x630000' >include/slurm/slurm.h
said=$(CPATH=$SCRATCH/include make -s -C "$SOURCE" BUILD="$SCRATCH/slurm" "$SCRATCH/slurm/slurm.so" 2>&1)
is "a Slurm module that does not compile stops nothing" 0 $?
matches "the build says so, with the reason" 'module does not compile .*error' "$said"
claim "and makes no module" test ! -e "$SCRATCH/slurm/slurm.so"

# The same of libhdf5, and a build as if it were not there.
echo '#define H5_VERS_MAJOR 9' >include/hdf5.h
said=$(CPATH=$SCRATCH/include make -s -C "$SOURCE" BUILD="$SCRATCH/hdf5" HDF5_FLAGS= "$SCRATCH/hdf5/hdf5.so" 2>&1)
is "an HDF5 module that does not compile stops nothing" 0 $?
matches "the build says so, with the reason" 'module does not compile .*error' "$said"
claim "and makes no module" test ! -e "$SCRATCH/hdf5/hdf5.so"
matches "without libhdf5 the build says which package is missing" 'libhdf5 not found.*apt-get install libhdf5-dev' \
    "$(make -s -C "$SOURCE" BUILD="$SCRATCH/hdf5" WITHOUT=hdf5 found)"
finish
