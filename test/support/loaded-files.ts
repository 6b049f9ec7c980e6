import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** What a file imports when it runs: files of the project, and packages by name. Types are left out. */
interface Loaded {
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

const known = new Map<string, Loaded>();

/** All that is loaded with a file, through every index.ts on the way. @param start relative to the working directory */
export function loadedWith(start: string): Loaded {
  const files = new Set([start]);
  const packages = new Set<string>();
  for (const file of files) {
    const next = loadedBy(file);
    for (const name of next.packages) packages.add(name);
    for (const name of next.files) files.add(name);
  }
  return { files: [...files].toSorted(), packages: [...packages].toSorted() };
}

function loadedBy(file: string): Loaded {
  const loaded = known.get(file) ?? read(file);
  known.set(file, loaded);
  return loaded;
}

function read(file: string): Loaded {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const specifiers = source.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const isType = isImport ? statement.importClause?.isTypeOnly : statement.isTypeOnly;
    const { moduleSpecifier } = statement;
    return !isType && moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
  const isOwn = (specifier: string): boolean => specifier.startsWith('.');
  return {
    files: specifiers.filter(isOwn).flatMap((specifier) => resolved(join(dirname(file), specifier)) ?? []),
    packages: specifiers.filter((specifier) => !isOwn(specifier)),
  };
}

function resolved(path: string): string | null {
  return [`${path}.ts`, `${path}/index.ts`].find((file) => existsSync(file)) ?? null;
}
