import { cleanEnv, makeValidator, str, type ValidatorSpec } from 'envalid';
import { readFileSync } from 'node:fs';

/** A setting is missing or invalid. `message` is one line that names the setting and says what to set. */
export class ConfigError extends Error {}

/** A setting. The value of a secret one may also be in a file, which the variable with the suffix `_FILE` names. */
type Variable<T = unknown> = ValidatorSpec<T> & { readonly secret?: boolean };
type Variables = Readonly<Record<string, Variable>>;
type ValuesOf<V extends Variables> = {
  readonly [Name in keyof V]: V[Name] extends ValidatorSpec<infer T> ? T : never;
};

/** The properties of the process on which the defaults of a group may depend. */
interface Environment {
  readonly production: boolean;
}

/** A group of related settings, declared beside the code that reads them. */
export interface SettingsGroup<T> {
  /** The injection token of the group's value. */
  readonly token: symbol;
  /** By the name of the environment variable. */
  readonly variables: Variables;
  read(values: Readonly<Record<string, unknown>>, environment: Environment): T;
}

export type SettingsOf<G> = G extends SettingsGroup<infer T> ? T : never;

/**
 * Declares a group of settings. Each variable has a default and a description, which docs/configuration.md lists.
 * @param definition.read converts the checked values to the form that the code uses; throws ConfigError for values that
 * contradict each other
 */
export function defineSettings<V extends Variables, T>(definition: {
  readonly variables: V;
  read(values: ValuesOf<V>, environment: Environment): T;
}): SettingsGroup<T> {
  return {
    token: Symbol(Object.keys(definition.variables).join(', ')),
    variables: definition.variables,
    read: (values, environment) => definition.read(values as ValuesOf<V>, environment),
  };
}

export const environmentSettings = defineSettings({
  variables: {
    NODE_ENV: str({
      default: 'development',
      choices: ['development', 'test', 'production'],
      desc: '`development`, `test` or `production`. `production` turns on the strict limits and requires HTTPS for the API.',
    }),
  },
  read: ({ NODE_ENV }): Environment => ({ production: NODE_ENV === 'production' }),
});

/** The values of all groups of one process. */
export class Settings {
  private constructor(private readonly values: ReadonlyMap<SettingsGroup<unknown>, unknown>) {}

  /**
   * Reads and checks the environment and the files of secrets. An empty variable or file counts as not set, as in compose
   * files.
   * @throws ConfigError naming every variable that is missing or invalid
   */
  static read(groups: readonly SettingsGroup<unknown>[], env: NodeJS.ProcessEnv): Settings {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
    const variables = collectVariables(groups);
    const checked = cleanEnv({ ...given, ...secretsFromFiles(given, variables) }, variables, {
      reporter: ({ errors }) => {
        const wrong = Object.entries(errors).map(
          ([name, error]) => `${name}: ${error?.message || 'must be set'}`,
        );
        if (wrong.length > 0) throw new ConfigError(wrong.join('; '));
      },
    });
    const environment = environmentSettings.read(checked, { production: false });
    return new Settings(new Map(groups.map((group) => [group, group.read(checked, environment)])));
  }

  of<T>(group: SettingsGroup<T>): T {
    if (!this.values.has(group)) throw new Error(`No settings were read for ${group.token.description}.`);
    return this.values.get(group) as T;
  }

  /** Returns a copy with another value for one group. */
  with<T>(group: SettingsGroup<T>, value: T): Settings {
    return new Settings(new Map([...this.values, [group, value]]));
  }

  providers(): { provide: symbol; useValue: unknown }[] {
    return [...this.values].map(([{ token }, useValue]) => ({ provide: token, useValue }));
  }
}

/** @throws Error for a variable that two groups declare */
function collectVariables(groups: readonly SettingsGroup<unknown>[]): Variables {
  const declared = new Map<string, Variable>();
  for (const [name, spec] of groups.flatMap(({ variables }) => Object.entries(variables))) {
    if (declared.has(name)) throw new Error(`The setting ${name} is declared twice.`);
    declared.set(name, spec);
  }
  return Object.fromEntries(declared);
}

/** @throws ConfigError for a file that cannot be read, and for a secret that is given twice */
function secretsFromFiles(env: NodeJS.ProcessEnv, variables: Variables): NodeJS.ProcessEnv {
  const secrets = Object.keys(variables).filter((name) => variables[name]!.secret && env[`${name}_FILE`]);
  return Object.fromEntries(
    secrets.flatMap((name) => {
      if (env[name]) throw new ConfigError(`${name}, ${name}_FILE: only one of them may be set`);
      const value = secretIn(env[`${name}_FILE`]!, `${name}_FILE`);
      return value === '' ? [] : [[name, value]];
    }),
  );
}

/** Returns the content of a file without the newline that editors and `echo` add. */
function secretIn(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigError(`${setting}: the file cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

export const integer = (minimum: number, maximum: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    if (!Number.isInteger(value) || value < minimum || value > maximum) {
      throw new Error(`must be an integer from ${minimum} to ${maximum}`);
    }
    return value;
  });

/** Declares a setting as secret: its value may also be in a file, which the variable with the suffix `_FILE` names. */
export const secret = <S extends ValidatorSpec<unknown>>(variable: S): S & { readonly secret: true } => ({
  ...variable,
  secret: true,
});

/** Secrets, separated by commas. The message never quotes them. */
export const secretList = (valid: (secret: string) => boolean, message: string) =>
  makeValidator<string[]>((input) => {
    const secrets = input.split(',').map((secret) => secret.trim());
    if (!secrets.every(valid)) throw new Error(message);
    return secrets;
  });

/** @throws ConfigError when only one of two variables is set */
export function assertSetTogether(
  values: Readonly<Record<string, unknown>>,
  one: string,
  other: string,
): void {
  if (Boolean(values[one]) === Boolean(values[other])) return;
  const [set, missing] = values[one] ? [one, other] : [other, one];
  throw new ConfigError(`${missing}: must be set together with ${set}`);
}
