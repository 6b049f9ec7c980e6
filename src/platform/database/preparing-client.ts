import type { QueryConfig } from 'pg';
import { Client } from 'pg';
import { dropFormerLeader } from './connection';

const statementNames = new Map<string, string>();

/**
 * Names a statement by its text. Texts come from the code and never from a request, so the map stays small. Names are
 * unique in the process; each connection prepares a name on its first use.
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
 * A client that prepares every statement with parameters once per connection, also those of TypeORM.
 *
 * An `error` event without a listener would end the process, and a connection can fail before the pool returns it. The
 * client therefore has a listener from the start; the query in progress reports the failure.
 */
export class PreparingClient extends Client {
  constructor(...config: ConstructorParameters<typeof Client>) {
    super(...config);
    this.on('error', () => undefined);
    dropFormerLeader(this);
  }

  // `query` has many overloads. Only its first form is rewritten.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const rewritten =
      typeof text === 'string' && Array.isArray(values) ? [prepared(text, values), ...rest] : args;
    return (super.query as (...args: unknown[]) => never)(...rewritten);
  }
}
