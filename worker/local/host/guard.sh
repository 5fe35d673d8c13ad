#!/bin/sh
# Becomes workerd, and has it killed when the launcher has gone, however that came about.
#
# The launcher holds the other end of stdin, which closes with its death. It writes a line there once it
# knows that workerd has ended, so that no other process that has got the number since is killed.
#
# The first argument is a nice value. Linux shares the CPU between sessions first (sched(7), autogroup), and workerd has one
# of its own, whose nice value is set in a file.
umask 077
niceness=$1
shift
[ "$niceness" = 0 ] || echo "$niceness" 2>/dev/null >/proc/self/autogroup
exec 4<&0
{ read -r _ <&4 || kill -9 $$; } >/dev/null 2>&1 3>&- &
exec nice -n "$niceness" "$@" </dev/null 4<&-
