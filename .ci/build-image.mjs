// Follows a Dockerfile without Docker: runs what its stages COPY and RUN in folders, with the programs of this machine.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * @param context the folder of the Dockerfile, whose .dockerignore begins with `*` and names what is copied
 * @param folder where the folders of the stages are made
 * @returns the folder of the last stage's WORKDIR, and its CMD
 */
export function buildImage(context, folder) {
  const [all, ...allowed] = linesOf(join(context, '.dockerignore'));
  if (all !== '*' || allowed.some((line) => !line.startsWith('!')))
    throw new Error('The .dockerignore must be "*" and what is allowed.');
  const inContext = new Set(allowed.map((line) => line.slice(1)));
  const stages = new Map();
  let stage;
  let command;
  for (const line of linesOf(join(context, 'Dockerfile'))) {
    const [instruction, ...words] = line.split(/\s+/);
    if (instruction === 'FROM') {
      stage = mkdtempSync(join(folder, 'stage-'));
      stages.set(words[2] ?? '', stage);
    } else if (instruction === 'COPY') {
      const from = words[0].startsWith('--from=')
        ? stages.get(words.shift().slice('--from='.length))
        : context;
      const target = words.pop();
      for (const source of words) {
        if (from === context && !inContext.has(source)) throw new Error(`.dockerignore keeps ${source} out.`);
        copy(from, source.replace(/^\/app\//, ''), join(stage, target), target.endsWith('/'));
      }
    } else if (instruction === 'RUN') {
      execFileSync('sh', ['-ec', words.join(' ')], { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'] });
    } else if (instruction === 'CMD') command = JSON.parse(words.join(' '));
  }
  return { folder: stage, command };
}

/** As Docker does: a folder's content goes to the target, and files go into a target that ends with a slash. */
function copy(from, pattern, target, isFolder) {
  const folder = dirname(pattern);
  const expression = new RegExp(`^${basename(pattern).replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  const names = readdirSync(join(from, folder)).filter((name) => expression.test(name));
  const sources = names.map((name) => join(folder, name));
  if (sources.length === 0) throw new Error(`There is no ${pattern} to copy.`);
  if (isFolder) mkdirSync(target, { recursive: true });
  for (const source of sources) {
    const path = join(from, source);
    const isFile = statSync(path).isFile();
    cpSync(path, isFolder && isFile ? join(target, basename(path)) : target, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** The lines of a file without comments. Long ones are joined. */
function linesOf(path) {
  return readFileSync(path, 'utf8')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
