# shellcheck shell=bash
# Shared by the scripts that do much at once: named jobs that wait for one another, a processor for each.
# Needs project.sh and progress.sh. A job's output goes to a file, and is shown when the job fails.

declare -a job_names=()
declare -A job_needs=() job_command=() job_weight=() job_state=() job_began=() job_took=() job_of=()
job_logs=$cache/test-logs

# job NAME "NEEDED NAME|NEEDED NAME" COMMAND…: plans a job that begins when those it needs are done. Of those that
# could begin, the one that was planned first does. Needed jobs that were not planned do not count. A name that was
# planned already is not planned again.
job() {
	[ -z "${job_state[$1]:-}" ] || return 0
	job_names+=("$1")
	job_weight[$1]=${weight:-1}
	job_needs[$1]=$2
	job_state[$1]=planned
	local name=$1
	shift 2
	job_command[$name]=$(printf '%q ' "$@")
}

# alone JOB…: plans a job that keeps every processor busy, or must not be slowed down: nothing runs beside it.
alone() { weight=all "$@"; }

# light JOB…: plans a job that mostly waits, for a browser say, or is short: one of them runs beside what keeps processors busy.
light() { weight=light "$@"; }

# job_fits NAME AT_ONCE: whether there is room for the job beside what runs.
job_fits() {
	local pid weight=${job_weight[$1]} busy=0 light=0
	for pid in "${!job_of[@]}"; do
		case ${job_weight[${job_of[$pid]}]} in
		all) return 1 ;;
		light) light=1 ;;
		*) busy=$((busy + 1)) ;;
		esac
	done
	case $weight in
	all) [ $((busy + light)) -eq 0 ] ;;
	light) [ $light -eq 0 ] ;;
	*) [ $busy -lt "$2" ] ;;
	esac
}

# job_ready NAME: whether all that the job needs is done. A job whose needs failed is not run.
job_ready() {
	local need
	local IFS='|'
	for need in ${job_needs[$1]}; do
		case "${job_state[$need]:-done}" in
		done) ;;
		failed | skipped)
			job_state[$1]=skipped
			say "FAILED: $1 (not run: it needs \"$need\")"
			return 1
			;;
		*) return 1 ;;
		esac
	done
}

job_start() {
	mkdir -p "$job_logs"
	job_began[$1]=$SECONDS
	job_state[$1]=running
	set -m # a process group of its own, so that all of it can be ended
	(
		job_times=$job_logs/$1.times
		trap 'times >"$job_times"' EXIT
		eval "${job_command[$1]}"
	) >"$job_logs/$1.log" 2>&1 </dev/null &
	set +m
	job_of[$!]=$1
}

# job_ended PID CODE notes how a job ended, and says it.
job_ended() {
	local name=${job_of[$1]}
	unset "job_of[$1]"
	job_took[$name]=$((SECONDS - job_began[$name]))
	if [ "$2" -eq 0 ]; then
		job_state[$name]=done
		say "ok: $name ($(span "${job_took[$name]}"))"
		return
	fi
	job_state[$name]=failed
	say "FAILED: $name (exit $2, $(span "${job_took[$name]}")). What failed in $job_logs/$name.log, and its end:"
	grep -aE '^ *--- FAIL|^FAIL	|^panic:|DATA RACE|^ *[a-z0-9_]+_test\.go:[0-9]+:' "$job_logs/$name.log" | grep -av 'SKIP' | head -n 60 | cut -c 1-400 >&2 || true
	say "…"
	grep -avE '^(ok  	|\?   	)' "$job_logs/$name.log" | tail -n 100 >&2 || true
}

# run_jobs AT_ONCE runs all that was planned, and says in jobs_failed whether one of them failed. Call it plainly:
# behind "if" or "||" the shell would go on after errors in jobs.
run_jobs() {
	local name pid ended left
	jobs_failed=no
	while :; do
		left=no
		for name in "${job_names[@]}"; do
			[ "${job_state[$name]}" = planned ] || continue
			left=yes
			if job_fits "$name" "$1" && job_ready "$name"; then job_start "$name"; fi
		done
		if [ ${#job_of[@]} -eq 0 ]; then
			[ "$left" = yes ] || break
			job_stuck || break
			continue
		fi
		ended=0
		wait -n -p pid || ended=$?
		[ -z "${pid:-}" ] || job_ended "$pid" "$ended"
	done
	for name in "${job_names[@]}"; do [ "${job_state[$name]}" = done ] || jobs_failed=yes; done
}

# job_stuck: nothing runs. What is planned can begin only if something was just skipped.
job_stuck() {
	local name
	for name in "${job_names[@]}"; do
		if [ "${job_state[$name]}" = planned ] && job_ready "$name"; then return 0; fi
	done
	for name in "${job_names[@]}"; do
		[ "${job_state[$name]}" != planned ] || {
			job_state[$name]=failed
			say "FAILED: $name (its needs wait for one another)"
		}
	done
	return 1
}

# end_jobs ends what still runs, with all that it started.
end_jobs() {
	local pid
	for pid in "${!job_of[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
}

# job_count STATE… prints how many jobs are in one of the states.
job_count() {
	local n=0 name state
	for name in "${job_names[@]}"; do
		for state in "$@"; do [ "${job_state[$name]}" != "$state" ] || n=$((n + 1)); done
	done
	printf '%d\n' "$n"
}

# job_worked NAME prints for how many seconds a job kept a processor busy: it and what it waited for, times(1p).
job_worked() {
	awk '{ for (i = 1; i <= NF; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } } END { printf "%d\n", s }' "$job_logs/$1.times" 2>/dev/null || printf '0\n'
}

# slowest_jobs N prints the jobs that took longest, and how much of that was work.
slowest_jobs() {
	local name took
	for name in "${!job_took[@]}"; do printf '%d\t%s\n' "${job_took[$name]}" "$name"; done |
		sort -rn | head -n "$1" | while IFS=$'\t' read -r took name; do
		printf '  %-14s %-14s %s\n' "$(span "$took")" "$(span "$(job_worked "$name")")" "$name"
	done
}
