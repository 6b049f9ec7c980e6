import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** What the checks read. Tests are left out: they are not what the rules are about. */
const COPIED = [
  'src',
  'migrations',
  'ormconfig.ts',
  'package.json',
  'tsconfig.json',
  '.dependency-cruiser.cjs',
  'eslint.config.mjs',
];

/** A file with one violation in it. Where the file exists already, the text is added to it. */
export interface Plant {
  readonly file: string;
  readonly text: string;
}

export interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

export interface Finding {
  readonly file: string;
  readonly ruleId: string | null;
  readonly message: string;
}

/** A copy of the sources with violations planted in it, and the project's own checks run over it. */
export class PlantedTree {
  private readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'countinghouse-planted-')));

  constructor(plants: readonly Plant[]) {
    for (const name of COPIED) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'junction');
    for (const { file, text } of plants) {
      const path = join(this.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, (existsSync(path) ? readFileSync(path, 'utf8') : '') + text);
    }
  }

  /** The violations of the dependency rules. */
  async cruise(): Promise<Violation[]> {
    const output = await this.run(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      'src',
      '--output-type',
      'json',
    );
    return (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
  }

  /** What the linter finds in these files. */
  async lint(files: readonly string[]): Promise<Finding[]> {
    const output = await this.run('eslint/bin/eslint.js', '--format', 'json', ...files);
    const results = JSON.parse(output) as { filePath: string; messages: Omit<Finding, 'file'>[] }[];
    return results.flatMap(({ filePath, messages }) =>
      messages.map((message) => ({
        ...message,
        file: filePath.slice(this.folder.length + 1).replaceAll('\\', '/'),
      })),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Both tools exit non-zero when they find something, which is what they are run for. */
  private run(program: string, ...args: string[]): Promise<string> {
    const script = join(ROOT, 'node_modules', program);
    return new Promise((resolve) => {
      const options = { cwd: this.folder, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [script, ...args], options, (_error, stdout, stderr) => {
        resolve(stdout || stderr);
      });
    });
  }
}
