import { bool, str } from 'envalid';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assertSetTogether,
  ConfigError,
  defineSettings,
  environmentSettings,
  integer,
  secret,
  Settings,
} from '../../../src/platform/config/settings';

const flags = defineSettings({
  variables: {
    DARK: bool({ default: false, desc: 'Dark.' }),
    SIZE: integer(1, 3)({ default: 2, desc: 'Size.' }),
  },
  read: ({ DARK, SIZE }, { production }) => ({ dark: DARK, size: SIZE, strict: production }),
});
const server = defineSettings({
  variables: { USER: str({ default: '', desc: 'User.' }), PASSWORD: str({ default: '', desc: 'Password.' }) },
  read: (values) => {
    assertSetTogether(values, 'USER', 'PASSWORD');
    return values.USER;
  },
});

const read = (env: NodeJS.ProcessEnv) => Settings.read([environmentSettings, flags, server], env);

describe('Settings', () => {
  it('have defaults, which an empty variable keeps', () => {
    expect(read({ SIZE: '' }).of(flags)).toEqual({ dark: false, size: 2, strict: false });
  });

  it('are read from the environment, and may depend on NODE_ENV', () => {
    const settings = read({ DARK: 'true', SIZE: '3', NODE_ENV: 'production' });
    expect(settings.of(flags)).toEqual({ dark: true, size: 3, strict: true });
  });

  it('are injected by the token of their group', () => {
    expect(read({ USER: 'ada', PASSWORD: 'x' }).providers()).toContainEqual({
      provide: server.token,
      useValue: 'ada',
    });
  });

  it('can be replaced by group', () => {
    const settings = read({});
    expect(settings.with(server, 'ada').of(server)).toBe('ada');
    expect(settings.of(server)).toBe('');
  });

  it.each([
    [{ SIZE: '4' }, 'SIZE: must be an integer from 1 to 3'],
    [{ SIZE: '1.5', DARK: 'maybe' }, /^DARK: .*; SIZE: must be an integer from 1 to 3$/],
    [{ USER: 'ada' }, 'PASSWORD: must be set together with USER'],
    [{ PASSWORD: 'x' }, 'USER: must be set together with PASSWORD'],
  ])('are rejected when wrong: %j', (env, message) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(message);
  });

  describe('that are secret', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-settings-'));
    const login = defineSettings({
      variables: { PASSWORD: secret(str({ default: '', desc: '' })), USER: str({ default: '', desc: '' }) },
      read: ({ USER, PASSWORD }) => ({ user: USER, password: PASSWORD }),
    });
    const readLogin = (env: NodeJS.ProcessEnv) => Settings.read([environmentSettings, login], env).of(login);

    afterAll(() => rmSync(folder, { recursive: true }));

    function file(name: string, content: string): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    }

    it.each([
      ['without a newline', 'two words', 'two words'],
      ['with a newline', 'two words\n', 'two words'],
      ['with a newline of Windows', 'two words\r\n', 'two words'],
      ['with spaces and two newlines', ' two words \n\n', ' two words \n'],
      ['that is empty', '\n', ''],
    ])('can be in a file %s', (name, content, password) => {
      expect(readLogin({ PASSWORD_FILE: file(name, content) }).password).toBe(password);
    });

    it('are not read from a file that is not named', () => {
      expect(readLogin({ PASSWORD: 'x', PASSWORD_FILE: '' }).password).toBe('x');
    });

    it('can be given once only', () => {
      const env = { PASSWORD: 'x', PASSWORD_FILE: file('both', 'y') };
      expect(() => readLogin(env)).toThrow(
        new ConfigError('PASSWORD, PASSWORD_FILE: only one of them may be set'),
      );
    });

    it('cannot be in a file that does not exist', () => {
      expect(() => readLogin({ PASSWORD_FILE: join(folder, 'absent') })).toThrow(
        new ConfigError('PASSWORD_FILE: the file cannot be read: ENOENT'),
      );
    });

    it('are the only ones that can be in a file', () => {
      expect(readLogin({ USER_FILE: file('user', 'ada') }).user).toBe('');
    });
  });

  it('are declared once, by one group', () => {
    const again = defineSettings({ variables: { SIZE: str({ default: '' }) }, read: () => null });
    expect(() => Settings.read([environmentSettings, flags, again], {})).toThrow(
      'The setting SIZE is declared twice.',
    );
    expect(() => Settings.read([environmentSettings, flags], {}).of(server)).toThrow(
      'No settings were read for USER, PASSWORD.',
    );
  });
});
