import { Client, QueryConfig } from 'pg';

const statementNames = new Map<string, string>();

/**
 * Names a statement by its text. Texts come from the code, never from a request, so the map stays small.
 * The number is the process's own; each connection prepares a name when it first meets it.
 */
export function prepared(text: string, values: readonly unknown[]): QueryConfig {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `s${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return { name, text, values: [...values] };
}

/**
 * A client that prepares every statement with parameters once per connection, TypeORM's included.
 *
 * Its error without a listener would end the process, and a connection may die before whoever asked the pool for it
 * has it in hand. So it has one from the start; the query under way reports the failure.
 */
export class PreparingClient extends Client {
  constructor(...config: ConstructorParameters<typeof Client>) {
    super(...config);
    this.on('error', () => undefined);
  }

  // The overloads of `query` are many and none is added here: only its first form is rewritten.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const rewritten =
      typeof text === 'string' && Array.isArray(values) ? [prepared(text, values), ...rest] : args;
    return (super.query as (...args: unknown[]) => never)(...rewritten);
  }
}
