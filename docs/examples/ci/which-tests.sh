#!/bin/sh -e
# Runs the tests of a Maven project that a change may alter; on the main branch all of them, and records them. CI has to
# keep one file from one build of the main branch to later builds: tested/tests.selection.
#
#   BRANCH    the branch that is built
#   PACKAGE   the package of the program and its tests, such as com.acme
if [ "$BRANCH" = main ] || [ ! -f tested/tests.selection ]; then
    classhook run --quiet --erase --tests -e "count $PACKAGE.**::*" -o tested -- mvn --batch-mode test
    classhook select --record --data tested
else
    mvn --batch-mode test-compile
    classhook select --data tested -f surefire -o tested/selected
    mvn --batch-mode surefire:test -Dsurefire.includesFile=tested/selected
fi
