import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './planted-tree';

/** Returns the files in a folder of the project as paths relative to its root. */
export function filesIn(folder: string, skipped: (name: string) => boolean = () => false): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !skipped(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path, skipped) : [path.replaceAll('\\', '/')];
    });
}

export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Returns all files that .gitignore does not exclude. Does not require git. */
export function repositoryFiles(): string[] {
  const ignored = textOf('.gitignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/\/$/, '').replace(/^\//, ''));
  const patterns = [...ignored, '.git'].map(
    (line) => new RegExp(`^${line.replaceAll('.', '\\.').replaceAll('*', '.*')}$`),
  );
  return filesIn('', (name) => patterns.some((pattern) => pattern.test(name)));
}

const SQL =
  /\b(select\b[^]*\bfrom|insert\s+into|update\b[^]*\bset|delete\s+from|join|truncate|merge\s+into|(create|alter|drop|lock)\s+table)\b/i;

/** Returns the known tables that a source refers to, in SQL or as a `tableName`. */
export function tablesNamedIn(source: string, known: readonly string[]): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node);
    if (text === null) return ts.forEachChild(node, visit);
    if (SQL.test(text) || isTableName(node)) texts.push(text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
  return known.filter((table) => texts.some((text) => new RegExp(`\\b${table}\\b`).test(text)));
}

/** Returns the text of a string literal, or of a template with `?` in place of its expressions. */
function literalText(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head, ...node.templateSpans.map((span) => span.literal)].map(({ text }) => text).join(' ? ');
}

function isTableName({ parent }: ts.Node): boolean {
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'tableName';
}
