#!/bin/sh
# Runs the tests of a Maven project that a change may alter; on the main branch all of them, and records them. CI has to
# keep one file from one build of the main branch to later builds, tested/tests.selection, and the commits since then:
# a clone with depth 1 has too few of them, and all tests are selected.
#
#   BRANCH    the branch that is built
#   PACKAGE   the package of the program and its tests, such as com.acme
if [ "$BRANCH" != main ] && mvn --batch-mode --quiet test-compile &&
    classhook select --data tested -f surefire -o tested/selected; then
    exec mvn --batch-mode test -Dsurefire.includesFile="$PWD/tested/selected" -Dsurefire.failIfNoSpecifiedTests=false
fi
classhook run --quiet --erase --tests -e "count $PACKAGE.**::*" -o tested -- mvn --batch-mode test
status=$?
classhook select --record --data tested || exit
exit $status
