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
  /** Set where platform systems do not read the resource. */
  readonly hiddenFromPlatforms?: true;
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
export interface EventType extends Pick<
  ResourceEvents,
  'response' | 'scope' | 'operatorsOnly' | 'hiddenFromPlatforms'
> {
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

/** Who reads events. */
interface EventReader {
  /** Those of an API key; null for a session. */
  readonly scopes: readonly string[] | null;
  /** Not given for the account itself, for which somebody sets up a webhook endpoint. */
  readonly role?: string;
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

  readableBy(reader: EventReader): readonly string[] {
    return this.names.filter((name) => this.isReadableBy(reader, name));
  }

  isReadableBy(reader: EventReader, name: string): boolean {
    return this.describeRefusal(reader, name) === null;
  }

  /** @throws DomainError `forbidden` for a type that is not readable */
  assertReadableBy(reader: EventReader, name: string): void {
    const refusal = this.describeRefusal(reader, name);
    if (refusal !== null) throw new DomainError('forbidden', refusal);
  }

  /** @throws Error for a type that no module declares */
  get(name: string): EventType {
    const type = this.types.get(name);
    if (type === undefined) throw new Error(`No module declares the event type "${name}".`);
    return type;
  }

  private describeRefusal({ scopes, role }: EventReader, name: string): string | null {
    const { scope, hiddenFromPlatforms } = this.get(name);
    if (hiddenFromPlatforms && role === 'platform')
      return `Platform systems cannot read events of the type ${name}.`;
    if (scopes === null) return null;
    if (scope === undefined)
      return `API keys cannot read events of the type ${name}. Log in for an access token.`;
    if (scopes.includes(scope)) return null;
    return `The API key lacks the scope ${scope}, which events of the type ${name} need. Use a key that has it.`;
  }
}

export function listEventTypes(declared: readonly ResourceEvents[]): EventType[] {
  return declared.flatMap(({ resource, actions, examples = {}, render, ...rest }) =>
    Object.entries(actions).map(([action, description], index) => ({
      name: `${resource}.${action}`,
      action,
      isFirst: index === 0,
      description,
      example: examples[action] ?? {},
      render: render as EventType['render'],
      ...rest,
    })),
  );
}
