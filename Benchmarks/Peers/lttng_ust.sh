#!/bin/sh
# Gives a program a tracing session: a session daemon of its own where none runs, a channel that overwrites the oldest, of 4 MiB
# as a ring, and its consumer, which writes the trace into a folder that is removed at the end.
# Usage: lttng_ust.sh PROGRAM OUR-PROCESSOR PARTNER-PROCESSOR LOOP-CALLS PACED-CALLS
set -eu
program=$1; partner=$3
home=$(mktemp -d /tmp/ringside-bench-lttng-XXXXXX)
daemon=
session=ringside-bench-$$
end() {
  lttng --no-sessiond destroy "$session" >/dev/null 2>&1 || true
  if [ -n "$daemon" ]; then kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; fi
  rm -rf "$home"
}
trap end EXIT
trap 'exit 1' INT TERM
[ "$(id -u)" -eq 0 ] || export LTTNG_HOME="$home"
if ! lttng --no-sessiond list >/dev/null 2>&1; then
  bind=; [ "$partner" -lt 0 ] || bind="taskset -c $partner"
  $bind lttng-sessiond --no-kernel </dev/null >/dev/null 2>&1 &
  daemon=$!
  tries=0
  until lttng --no-sessiond list >/dev/null 2>&1; do
    tries=$((tries + 1)); [ "$tries" -lt 50 ] || { echo "no LTTng session daemon after 5 s" >&2; exit 1; }
    sleep 0.1
  done
fi
lttng --no-sessiond create "$session" --output="$home/trace" >/dev/null
lttng --no-sessiond enable-channel --userspace --overwrite --subbuf-size=1M --num-subbuf=4 records >/dev/null
lttng --no-sessiond enable-event --userspace --channel=records 'ringside_bench:record' >/dev/null
lttng --no-sessiond start >/dev/null
shift
"$program" "$@"
