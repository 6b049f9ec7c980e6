import { DomainError } from '../../kernel/domain-error';

/** A scope of API keys, as a module declares it. */
export interface ApiScope {
  /** For example `payouts:read`. */
  readonly name: string;
  /** The wide scope that contains it. Without one it is wide itself, and keys have it by default. */
  readonly within?: string;
  /** Set where every key has it. */
  readonly inEveryKey?: true;
}

/** What API keys may do in this service: wide scopes, then those within them, then those of every key. */
export class ApiScopes {
  readonly names: readonly string[];

  constructor(private readonly declared: readonly ApiScope[]) {
    const others = declared.filter(({ inEveryKey }) => inEveryKey);
    const narrow = declared.filter(({ within }) => within !== undefined);
    this.names = [...this.wide, ...narrow.map(({ name }) => name), ...others.map(({ name }) => name)];
  }

  /** The scopes that together open all that API keys may do. */
  get wide(): readonly string[] {
    return this.declared.filter((scope) => !scope.within && !scope.inEveryKey).map(({ name }) => name);
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /**
   * The scopes that a request grants to a key, in their own order: by default all.
   * @throws DomainError `invalid_request` for a scope that no module declares
   */
  grant(requested: readonly string[] = this.wide): readonly string[] {
    if (requested.every((name) => this.has(name)))
      return this.names.filter((name) => requested.includes(name));
    throw new DomainError(
      'invalid_request',
      `scopes must be a list of one or more of ${this.names.join(', ')}, each once.`,
    );
  }

  /** The scopes of a key with those that they contain. */
  effective(granted: readonly string[]): readonly string[] {
    const contained = this.declared.filter(
      ({ within, inEveryKey }) => inEveryKey || (within !== undefined && granted.includes(within)),
    );
    return [...new Set([...granted, ...contained.map(({ name }) => name)])];
  }
}
