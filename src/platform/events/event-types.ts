import type { Type } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';

/** The events of one type of resource. */
export interface ResourceEvents {
  /** The name of the resource, with which the types start: `transaction` in `transaction.created`. */
  readonly resource: string;
  /**
   * The scope with which an API key reads the events: that of the operation which retrieves the resource. Without one, no
   * key reads them.
   */
  readonly scope?: string;
  /** By the rest of the type: when such an event is recorded. */
  readonly actions: Readonly<Record<string, string>>;
  /** Set where only admins and platform systems see the events, which then belong to no account. */
  readonly operatorsOnly?: true;
  /**
   * By action: what the object has in the example of such an event, besides the examples of its required members. A status
   * that is called like the action is understood.
   */
  readonly examples?: Readonly<Record<string, object>>;
  /** The class of the object in the data of the events. */
  readonly response: Type;
  /** Renders the object. It contains no secret: events are stored, and delivered to other systems. */
  readonly render: (resource: never) => object;
}

/** A type of event, for example `transaction.created`. */
export interface EventType extends Pick<ResourceEvents, 'response' | 'scope' | 'operatorsOnly'> {
  readonly name: string;
  /** The part of the name that says what happened. */
  readonly action: string;
  /** Whether the action is the first that is declared, with which a resource begins. */
  readonly isFirst: boolean;
  readonly description: string;
  /** What the object has in the example of the event. */
  readonly example: object;
  readonly render: (resource: unknown) => object;
}

/** All types of events of the service, in the order in which its modules declare them. */
export class EventTypes {
  private readonly types: ReadonlyMap<string, EventType>;

  constructor(declared: readonly ResourceEvents[]) {
    this.types = new Map(listEventTypes(declared).map((type) => [type.name, type]));
  }

  get names(): readonly string[] {
    return [...this.types.keys()];
  }

  get all(): readonly EventType[] {
    return [...this.types.values()];
  }

  has(name: string): boolean {
    return this.types.has(name);
  }

  /** The types that a principal with these scopes reads: all with null, which stands for a session. */
  readableWith(scopes: readonly string[] | null): readonly string[] {
    return this.names.filter((name) => this.isReadableWith(scopes, name));
  }

  isReadableWith(scopes: readonly string[] | null, name: string): boolean {
    const { scope } = this.get(name);
    return scopes === null || (scope !== undefined && scopes.includes(scope));
  }

  /** @throws DomainError `forbidden` when a principal with these scopes does not read the type */
  assertReadableWith(scopes: readonly string[] | null, name: string): void {
    if (this.isReadableWith(scopes, name)) return;
    const { scope } = this.get(name);
    throw new DomainError(
      'forbidden',
      scope === undefined
        ? `API keys cannot read events of the type ${name}. Log in for an access token.`
        : `The API key lacks the scope ${scope}, which events of the type ${name} need. Use a key that has it.`,
    );
  }

  /** @throws Error for a type that no module declares */
  get(name: string): EventType {
    const type = this.types.get(name);
    if (type === undefined) throw new Error(`No module declares the event type "${name}".`);
    return type;
  }
}

export function listEventTypes(declared: readonly ResourceEvents[]): EventType[] {
  return declared.flatMap(({ resource, scope, operatorsOnly, actions, examples = {}, response, render }) =>
    Object.entries(actions).map(([action, description], index) => ({
      name: `${resource}.${action}`,
      action,
      isFirst: index === 0,
      description,
      example: examples[action] ?? {},
      ...(scope && { scope }),
      ...(operatorsOnly && { operatorsOnly }),
      response,
      render: render as EventType['render'],
    })),
  );
}
