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

/** The files that the checks read. The rules do not apply to tests. */
const COPIED = [
  'src',
  'migrations',
  'ormconfig.ts',
  'package.json',
  'tsconfig.json',
  '.dependency-cruiser.cjs',
  'eslint.config.mjs',
];

/** A planted violation. The text is appended if the file exists. */
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

/** A copy of the sources with planted violations, on which the project's checks run. */
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

  /** Returns the violations of the dependency rules. */
  async cruise(): Promise<Violation[]> {
    const output = await this.run(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      'src',
      '--output-type',
      'json',
    );
    return (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
  }

  /** Returns the linter's findings in the given files. */
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

  /** Runs a tool and ignores its exit code, which is non-zero when there are findings. */
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
