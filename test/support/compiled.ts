import { transformFileSync } from '@swc/core';
import { ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';

const REPOSITORY = path.resolve(__dirname, '../..');

/** The folder with the compiled service of this run. */
export function compiledFolder(): string {
  return path.join(process.env['TEST_RUN_FOLDER']!, 'compiled');
}

/** Compiles the service for a run: not to `dist`, which another run may be replacing. */
export function compileService(): void {
  const folder = compiledFolder();
  for (const sources of ['src', 'migrations', 'test/support']) compile(sources, folder);
  for (const name of ['node_modules', 'package.json', 'docs', 'client', 'console'])
    fs.symlinkSync(path.join(REPOSITORY, name), path.join(folder, name), 'junction');
}

/** The compiled service in processes. */
export class Compiled {
  readonly folder = compiledFolder();
  private readonly children: ChildProcess[] = [];

  /** Runs a command of the service, with its arguments, in a separate process with only these settings. */
  run(command: string, settings: NodeJS.ProcessEnv): Running {
    const child = spawn(process.execPath, [path.join(this.folder, 'src', 'main.js'), ...command.split(' ')], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    return new Running(child);
  }

  /** Kills the processes that still run. */
  stop(): void {
    for (const child of this.children) child.kill('SIGKILL');
  }
}

class Running {
  out = '';
  err = '';
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;

  constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk) => (this.out += String(chunk)));
    child.stderr!.on('data', (chunk) => (this.err += String(chunk)));
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  get pid(): number {
    return this.child.pid!;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}

/** The memory of a process, in MB. */
export function residentMb(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** Compiles the TypeScript files of a folder and copies all others, like a build. */
export function compile(folder: string, into: string): void {
  fs.mkdirSync(path.join(into, folder), { recursive: true });
  for (const entry of fs.readdirSync(path.join(REPOSITORY, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    const source = path.join(REPOSITORY, name);
    if (entry.isDirectory()) compile(name, into);
    else if (name.endsWith('.ts')) {
      const { code } = transformFileSync(source, { cwd: REPOSITORY, sourceMaps: 'inline' });
      fs.writeFileSync(path.join(into, name.replace(/\.ts$/, '.js')), code);
    } else fs.copyFileSync(source, path.join(into, name));
  }
}
