import { execFileSync } from 'node:child_process';
import { commands } from '../../../src/service/command-line';
import { triggeredEvents } from '../../../src/service/developer/trigger';
import { Developer } from '../../support/developer';

let developer: Developer;
beforeAll(() => {
  developer = new Developer();
});
afterAll(() => developer.remove());

const scriptFor = async (shell: string): Promise<string> => {
  const { code, out } = await developer.run(`completion ${shell}`);
  expect(code).toBe(0);
  return out;
};

describe('Completion', () => {
  it.each([
    ['ke', ['keys']],
    ['keys ', ['create', 'rotate']],
    ['events t', ['tail']],
    ['migrat', ['migrate', 'migrations']],
    ['ledger verify --q', ['--quiet']],
    ['listen --f', ['--forward-to']],
    ['trigger ', [...triggeredEvents, '--help', '--json', '--list']],
    ['trigger --json payment_request.s', ['payment_request.succeeded']],
    ['completion ', ['--help', '--json', 'bash', 'fish', 'zsh']],
    ['nothing ', []],
  ])('in bash offers, after "%s", %j', async (typed, offered) => {
    const words = ['countinghouse', ...typed.split(' ')];
    const script = `${await scriptFor('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_countinghouse
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['--norc', '-uc', script], { encoding: 'utf8' });
    expect(out.split('\n').filter(Boolean).toSorted()).toEqual(offered.toSorted());
  });

  it.each(['bash', 'zsh', 'fish'])('for %s knows all commands and their options', async (shell) => {
    const script = await scriptFor(shell);
    for (const { name, options = [] } of commands)
      for (const word of [...name.split(' '), ...options.map(({ long }) => long!)])
        expect(script).toContain(word);
  });

  it('describes commands in zsh and fish', async () => {
    expect(await scriptFor('zsh')).toContain("'get:print a response of the API'");
    expect(await scriptFor('fish')).toContain(
      `complete -c countinghouse -n '__countinghouse_typed "^events\\\\$"' -a 'tail' -d 'print events as they come'`,
    );
  });

  it('exists for these shells only', async () => {
    expect(await developer.run('completion tcsh')).toMatchObject({ code: 2, out: '' });
  });
});
