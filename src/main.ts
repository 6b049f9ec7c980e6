#!/usr/bin/env node
import { runCommand } from './service/command-line';

void runCommand(
  async () => (await import('./service/define-service.js')).defineService(),
  process.argv.slice(2),
);
