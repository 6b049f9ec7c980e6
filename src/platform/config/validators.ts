import type { ValidatorSpec } from 'envalid';
import { makeValidator } from 'envalid';
import { ConfigError } from './settings';

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
