#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommand } from './service/command-line';

// V8 would create what most requests create in the old generation, once a few have survived there. They die with their
// request, and keep what they refer to until the next full collection.
setFlagsFromString('--no-allocation-site-pretenuring');

void runCommand(
  async () => (await import('./service/define-service.js')).defineService(),
  process.argv.slice(2),
);
