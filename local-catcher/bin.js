#!/usr/bin/env node
// A file that is there before the build: npm links a command only to a file that exists, and in a clone
// it links before it builds.
import './dist/bin.js'
