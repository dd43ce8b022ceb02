#!/bin/bash
# when a search has ended one message says so, by mail and to a command; what goes wrong with it harms nothing
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
umask 022 # who may write to a file of the site is looked at
unset "${!SLURM_@}"
synth x.yaml 4
mkdir bin
cat >bin/sendmail <<'EOF2'
#!/bin/sh
echo "called $*" >>"$MAILS"
cat >>"$MAILS"
EOF2
chmod +x bin/sendmail
export MAILS=$SCRATCH/mails PATH="$SCRATCH/bin:$PATH"

# mails: how many were sent.
mails() {
    grep -c '^called' "$MAILS" 2>/dev/null || true
}

# --- by mail ---
claim "a search that names an address runs" gannet run x.yaml --dir r --quiet --set 'notify.mail=[ada@example.org, bob@example.org]'
is "one mail is sent, by sendmail" "called -t -i" "$(grep '^called' mails)"
matches "to these" '^To: ada@example.org,bob@example.org$' "$(cat mails)"
matches "its subject says it all" '^Subject: gannet: synth: all trials of limits.max_trials have ended \(4 trials in' "$(cat mails)"
matches "the summary is in it" '^Best  value [0-9.]+  \(trial [1-4]\)$' "$(cat mails)"
matches "and the place" "The run directory is $SCRATCH/r, seen from node $(hostname)" "$(cat mails)"
claim "a search that names nobody" gannet run x.yaml --dir nobody --quiet
is "sends none" 1 "$(mails)"
claim "one that reaches its target" gannet run x.yaml --dir broken --quiet --set notify.mail=ada@example.org \
    --set 'notify.command=echo $GANNET_ENDING $GANNET_REASON >ending' --set 'metric.target=1000'
is "is told as that" "completed target_reached" "$(cat ending)"
for address in -oQ/tmp 'ada smith@example.org' ',' 'a@b,,c'; do
    refuse "'$address' is no address" 2 "'notify.mail': .* is no address" gannet check x.yaml --set "notify.mail='$address'"
done

# --- to a command ---
claim "a command is run" gannet run x.yaml --dir c --quiet \
    --set "notify.command=[sh, -c, 'cat >told; echo \"\$GANNET_NAME \$GANNET_ENDING \$GANNET_REASON \$GANNET_RUNDIR\" >>told']"
is "in the directory of the file, knowing what ended how" "synth completed max_trials $SCRATCH/c" "$(tail -n 1 told)"
matches "with the summary" 'all trials of limits.max_trials have ended' "$(head -n 1 told)"
synth long.yaml 100000 0.05
gannet run long.yaml --dir s --quiet --set 'notify.command=echo $GANNET_ENDING $GANNET_REASON >>ends' &
run=$!
claim "a long one runs" until_true has_ended s 1
claim "it is stopped" gannet stop s
wait "$run"
is "which is told" "stopped stopped" "$(cat ends)"
gannet run s --resume --quiet &
run=$!
claim "it goes on" until_true test -e s/coordinator.json
kill -INT "$run"
wait "$run"
is "Ctrl-C tells nobody: the person is here" "stopped stopped" "$(cat ends)"

# --- what goes wrong ---
said=$(gannet run x.yaml --dir f --quiet --set notify.mail=ada@example.org --set 'notify.mail_command=[sh, -c, "echo no such host; exit 75"]' \
    --set 'notify.command=[/nowhere/tell]' 2>&1)
is "neither a program that fails nor one that is not there harms the search" 0 $?
matches "the first one's last words are said" "notify.mail: .* did not go out: 'sh' ended with status 75: no such host" "$said"
matches "and what of the other" "notify.command: .* did not go out: .*/nowhere/tell" "$said"
said=$(GANNET_NOTIFY_PATIENCE=1 gannet run x.yaml --dir h --quiet --set "notify.command=[sh, -c, 'trap \"\" TERM; sleep 1000 & wait; sleep 1000']" 2>&1)
is "nor does one that hangs" 0 $?
matches "which is ended" "took too long and was ended by signal" "$said"
claim "nothing of it is left" none_left
rm bin/sendmail
if PATH=/usr/sbin:/usr/lib:/usr/bin:/bin command -v sendmail mail mailx >/dev/null; then
    skip "without any program for mail" "this machine has one"
else
    said=$(gannet run x.yaml --dir w --quiet --set notify.mail=ada@example.org 2>&1)
    matches "without any program for mail a line says so, and what to do" \
        'no mail was sent to ada@example.org: node .* has neither sendmail nor mail. notify.mail_command names another' "$said"
    cp /bin/sh bin/mail
    printf '#!/bin/sh\necho "called $*" >>"$MAILS"; cat >>"$MAILS"\n' >bin/mail
    claim "mail will do" gannet run x.yaml --dir m --quiet --set notify.mail=ada@example.org
    matches "with the subject as an option" '^called -s gannet: synth: all trials .* ada@example.org$' "$(cat mails)"
fi

# --- jobs ---
[ -f "$GANNET_BUILD/tests/slurm_fake.so" ] || { skip "in a job" "tests/slurm_fake.so was not built"; finish; }
export GANNET_SLURM_MODULE="$GANNET_BUILD/tests/slurm_fake.so" GANNET_SLURM_FAKE="$SCRATCH/slurm" GANNET_SITE_FILE=$SCRATCH/site.yaml
mkdir slurm
echo 'notify: {command: "echo $GANNET_ENDING $GANNET_REASON: $(cat) >>jobs"}' >site.yaml
claim "a site file may say it" gannet submit x.yaml --dir j --set network.interface=nosuch0
refuse "a job that can't begin" 2 'nosuch0' env SLURM_JOB_ID=100 SLURM_JOB_NODELIST=n1 gannet job --rundir j
matches "tells why" "^failed failed: .*network.interface is 'nosuch0'" "$(cat jobs)"
refuse "outside a job nobody is told" 2 'inside no job' gannet job --rundir j
is "of that" 1 "$(grep -c . jobs)"
finish
