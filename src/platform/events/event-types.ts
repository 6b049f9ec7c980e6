import { Type } from '@nestjs/common';

/** The events of one type of resource. */
export interface ResourceEvents {
  /** The name of the resource, with which the types start: `transaction` in `transaction.created`. */
  readonly resource: string;
  /** By the rest of the type: when such an event is recorded. */
  readonly actions: Readonly<Record<string, string>>;
  /** The class of the object in the data of the events. */
  readonly response: Type;
  /** Renders the object. It contains no secret: events are stored, and delivered to other systems. */
  readonly render: (resource: never) => object;
}

/** A type of event, for example `transaction.created`. */
export interface EventType extends Pick<ResourceEvents, 'response'> {
  readonly name: string;
  readonly description: string;
  readonly render: (resource: unknown) => object;
}

/** All types of events of the service, in the order in which its modules declare them. */
export class EventTypes {
  private readonly types: ReadonlyMap<string, EventType>;

  constructor(declared: readonly ResourceEvents[]) {
    this.types = new Map(eventTypesOf(declared).map((type) => [type.name, type]));
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

  /** @throws Error for a type that no module declares */
  get(name: string): EventType {
    const type = this.types.get(name);
    if (type === undefined) throw new Error(`No module declares the event type "${name}".`);
    return type;
  }
}

/** Lists the declared types. */
export function eventTypesOf(declared: readonly ResourceEvents[]): EventType[] {
  return declared.flatMap(({ resource, actions, response, render }) =>
    Object.entries(actions).map(([action, description]) => ({
      name: `${resource}.${action}`,
      description,
      response,
      render: render as EventType['render'],
    })),
  );
}
