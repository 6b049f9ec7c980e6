import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

/** An import or a re-export: the names as the imported file exports them, or null for all of them. */
interface Reference {
  readonly file: string;
  readonly names: readonly string[] | null;
}

/**
 * The files that a reader opens to understand `start`: those that relative imports lead to, types included. A name that
 * comes through a module's index.ts leads to that index and on to the file that the name comes from; the rest of what
 * the index exports does not count.
 * @returns paths, relative to the working directory like `start`
 */
export function importClosure(start: string): string[] {
  const files = new Set<string>();
  const visit = ({ file, names }: Reference): void => {
    const isDoor = basename(file) === 'index.ts' && names !== null;
    if (files.has(file) && !isDoor) return;
    files.add(file);
    const next = referencesOf(file);
    if (!isDoor) return next.forEach(visit);
    const wanted = next.filter((reference) => reference.names?.some((name) => names.includes(name)) ?? true);
    wanted.forEach(visit);
  };
  visit({ file: start, names: null });
  return [...files].toSorted();
}

function referencesOf(file: string): Reference[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: specifier } = statement;
    if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.'))
      return [];
    const target = resolved(join(dirname(file), specifier.text));
    return target === null ? [] : [{ file: target, names: namesIn(statement) }];
  });
}

function namesIn(statement: ts.ImportDeclaration | ts.ExportDeclaration): string[] | null {
  const named = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : statement.exportClause;
  if (named === undefined || (!ts.isNamedImports(named) && !ts.isNamedExports(named))) return null;
  // An import names what a door exports: `import { exported as local }`, `export { local as exported }`.
  return named.elements.map(
    (element) =>
      (ts.isImportSpecifier(element) && element.propertyName ? element.propertyName : element.name).text,
  );
}

function resolved(path: string): string | null {
  return [`${path}.ts`, `${path}/index.ts`].find((file) => existsSync(file)) ?? null;
}
