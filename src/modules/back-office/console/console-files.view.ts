import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix, sep } from 'node:path';
import { type StaticContent, staticContent } from '../../../platform/http/static-content';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** `console/` is beside `src/` in the repository, and beside `dist/` in the package. */
function builtFolder(): string | undefined {
  return ['../../../..', '../../../../..']
    .map((path) => join(__dirname, path, 'console', 'dist'))
    .find((path) => existsSync(join(path, 'index.html')));
}

/** The files of the built console, which are read at the first request. Without a build, there are none. */
export class ConsoleFiles {
  private files: ReadonlyMap<string, StaticContent> | undefined;

  constructor(private readonly findFolder = builtFolder) {}

  /** @param path in the folder of the build, for example `assets/index-4f2a.js` */
  find(path: string): StaticContent | null {
    this.files ??= readFiles(this.findFolder());
    return this.files.get(path) ?? null;
  }
}

function readFiles(folder: string | undefined): ReadonlyMap<string, StaticContent> {
  if (folder === undefined) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      return [[name.replaceAll(sep, posix.sep), staticContent(type, readFileSync(join(folder, name)))]];
    }),
  );
}
