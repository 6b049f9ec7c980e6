#!/usr/bin/env node
// The command `countinghouse`. It is a file of its own, because a build writes compiled files that cannot be executed.
import '../dist/src/main.js';
