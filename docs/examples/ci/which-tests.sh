#!/bin/sh
# Runs the tests of a Maven project that a change may alter; on the main branch all of them, and records them. CI has to
# keep tested/tests.selection of a build of the main branch for later builds. git has to know the commit of that build,
# so a clone with depth 1 is not enough: all tests would be selected.
#
#   BRANCH    the branch that is built
#   PACKAGE   the package of the program and its tests, such as com.acme
: "${BRANCH:?}" "${PACKAGE:?}"
if [ "$BRANCH" != main ]; then
    mvn --batch-mode --quiet test-compile || exit
    if classhook select --data tested -f surefire -o tested/selected; then
        exec mvn --batch-mode test -Dsurefire.includesFile="$PWD/tested/selected" -Dsurefire.failIfNoSpecifiedTests=false
    fi
fi
classhook run --quiet --erase --tests -e "count $PACKAGE.**::*" -o tested -- mvn --batch-mode test
status=$?
classhook select --record --data tested || exit
exit $status
