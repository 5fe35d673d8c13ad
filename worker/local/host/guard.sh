#!/bin/sh
# Becomes workerd, and has it killed when the launcher has gone, however that came about.
#
# The launcher holds the other end of stdin, which closes with its death. It writes a line there once it
# knows that workerd has ended, so that no other process that has got the number since is killed.
umask 077
exec 4<&0
{ read -r _ <&4 || kill -9 $$; } >/dev/null 2>&1 3>&- &
exec "$@" </dev/null 4<&-
