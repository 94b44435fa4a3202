#!/bin/sh
# Nodes have no Node.js: the one that came with this package runs the program.
exec /usr/lib/nodeqos/node /usr/lib/nodeqos/nodeqos.mjs "$@"
