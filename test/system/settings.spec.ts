import { Composition } from '../../src/service/composition';
import { filesIn, textOf } from '../support/source-text';

const variables = new Composition([]).settings.flatMap((group) => Object.entries(group.variables));

describe('docs/configuration.md', () => {
  const listed = [...textOf('docs/configuration.md').matchAll(/^\|\s*`([A-Z_]+)`\s*\|(.*?)\|(.*)\|$/gm)].map(
    ([, name, value, description]) => [name!, { value: value!.trim(), description: description!.trim() }],
  );

  it('lists every setting once with its default and description, and no others', () => {
    const declared = variables.map(([name, { default: value, desc }]) => {
      const text = ([value ?? ''].flat() as string[]).join(',');
      return [name, { value: text && `\`${text}\``, description: desc }];
    });
    expect(listed).toHaveLength(declared.length);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
  });
});

it('docs/configuration.md lists the settings that can be in a file', () => {
  const [, list] = /The settings with this suffix are (.*)\./.exec(textOf('docs/configuration.md'))!;
  const documented = [...list!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!);
  const secrets = variables.filter(([, { secret }]) => secret).map(([name]) => name);
  expect(documented.toSorted()).toEqual(secrets.toSorted());
});

it('a setting that is named after a secret is declared as secret', () => {
  const named = variables.filter(([name]) => /SECRET|PASSWORD$|KEY$/.test(name));
  expect(named.filter(([, { secret }]) => !secret).map(([name]) => name)).toEqual([]);
});

describe('The platform', () => {
  const PAYMENT_TERMS = /stripe|iban|\bbic\b|processor/i;
  const declares = (file: string): boolean => PAYMENT_TERMS.test(textOf(file));

  it('declares no setting of a module', () => {
    const settings = filesIn('src/platform').filter((file) => file.endsWith('.settings.ts'));
    expect(settings.filter(declares)).toEqual([]);
    expect(declares('src/modules/processors/processors.settings.ts')).toBe(true);
  });

  it('knows only the settings of every process', () => {
    const names = filesIn('src/platform/config').flatMap((file) =>
      [...textOf(file).matchAll(/\b[A-Z]+(?:_[A-Z]+)+(?=: )/g)].map(([name]) => name),
    );
    expect(names.toSorted()).toEqual(['JWT_SECRETS', 'NODE_ENV']);
  });
});
