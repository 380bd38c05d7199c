# Stages that tools/test and tools/check share; both source this file.

# stage NAME COMMAND [ARGUMENT]...: runs a command and prints its name and how long it took; ends the script if it fails.
stage() {
  local name=$1 began=$SECONDS code=0
  shift
  echo "== $name"
  "$@" || code=$?
  [ $code -eq 0 ] || { echo "== $name failed after $((SECONDS - began)) s"; exit $code; }
  echo "== $name: $((SECONDS - began)) s"
}

check_format() {
  swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks && return
  echo "To mend each file named above: swift format --in-place FILE"
  return 1
}

# The tests are a debug build, with its checks, in a folder of its own: it may be made beside the release build, and its flags
# make no plain 'swift build' compile everything anew. Every warning is an error in it. The index store is needed: the list of
# tests is made from it. Line tables are all that a backtrace needs; they cost a seventh less time than what a debugger needs.
tests_build=(--scratch-path .build/tests -Xswiftc -warnings-as-errors -Xcc -Werror -Xswiftc -gline-tables-only)

build_tests() { without_progress swift build --build-tests "${tests_build[@]}"; }

test_bundle() { echo "$(swift build "${tests_build[@]}" --show-bin-path)/RingsidePackageTests.xctest"; }

without_progress() { "$@" 2>&1 | { grep -vE '^\[[0-9]+/[0-9]+\] |^Building for ' || true; }; }

# A test process that crashes says where. Those that tests start, some to crash, print nothing and leave no core file.
export SWIFT_BACKTRACE=enable=yes,interactive=no,color=no
ulimit -c 0
