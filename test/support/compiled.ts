import { transformFileSync } from '@swc/core';
import { ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';

const REPOSITORY = path.resolve(__dirname, '../..');

/** The service's sources as a build makes them, in a folder of their own, since another run may be replacing `dist`. */
export class Compiled {
  private readonly children: ChildProcess[] = [];

  private constructor(private readonly folder: string) {}

  static create(): Compiled {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'countinghouse-compiled-'));
    for (const sources of ['src', 'migrations']) compile(sources, folder);
    fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
    return new Compiled(folder);
  }

  /** Starts an entry of `src` as a process of its own, with these settings and no others. */
  run(entry: string, settings: NodeJS.ProcessEnv): Running {
    const child = spawn(process.execPath, [path.join(this.folder, 'src', `${entry}.js`)], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    return new Running(child);
  }

  remove(): void {
    for (const child of this.children) child.kill('SIGKILL');
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

class Running {
  out = '';
  err = '';
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;

  constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk) => (this.out += String(chunk)));
    child.stderr!.on('data', (chunk) => (this.err += String(chunk)));
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }
}

/** Makes of a folder of sources what a build makes of it: TypeScript is compiled, everything else comes along. */
export function compile(folder: string, into: string): void {
  fs.mkdirSync(path.join(into, folder));
  for (const entry of fs.readdirSync(path.join(REPOSITORY, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    const source = path.join(REPOSITORY, name);
    if (entry.isDirectory()) compile(name, into);
    else if (name.endsWith('.ts')) {
      const { code } = transformFileSync(source, { cwd: REPOSITORY, sourceMaps: false });
      fs.writeFileSync(path.join(into, name.replace(/\.ts$/, '.js')), code);
    } else fs.copyFileSync(source, path.join(into, name));
  }
}
