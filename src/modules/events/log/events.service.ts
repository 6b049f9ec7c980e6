import { Injectable } from '@nestjs/common';
import { DAY_MS, MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { EventTypes } from '../../../platform/events/event-types';
import { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { AccountScopedReader, Principal } from '../../auth';
import { Event } from './event';
import { EventFilter, EventsRepository } from './events.repository';

const KEPT_DAYS = 30;

@Injectable()
export class Events extends AccountScopedReader<Event, EventFilter> {
  /** The periodic task that deletes old events. */
  readonly expiry: PeriodicTask = {
    name: 'old events',
    intervalMs: MINUTE_MS,
    run: (now) => this.repository.deleteRecordedBefore(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
  };

  constructor(
    private readonly repository: EventsRepository,
    private readonly types: EventTypes,
  ) {
    super('evt', 'event', repository);
  }

  /**
   * An API key sees the events that show what it may read.
   * @throws DomainError `invalid_request` for an unknown type, and for a cursor that is not an event of the caller;
   * `forbidden` for a type that the API key may not read
   */
  override async list(
    caller: Principal,
    filter: EventFilter & { readonly type?: string },
    request: CursorRequest,
  ): Promise<CursorPage<Readonly<Event>>> {
    const { scopes } = caller;
    const { type } = filter;
    if (type !== undefined && !this.types.has(type)) {
      throw new DomainError('invalid_request', `type must be one of: ${this.types.names.join(', ')}.`);
    }
    if (type !== undefined) this.types.assertReadableWith(scopes, type);
    const isRestricted = scopes !== null && type === undefined;
    const readable = isRestricted ? { ...filter, type: this.types.readableWith(scopes) } : filter;
    return super.list(caller, readable, request);
  }

  /** @throws DomainError `not_found`; `forbidden` for an event that the API key may not read */
  override async get(caller: Principal, id: string): Promise<Readonly<Event>> {
    const event = await super.get(caller, id);
    this.types.assertReadableWith(caller.scopes, event.type);
    return event;
  }

  override async search(
    caller: Principal,
    ...search: [text: string, filters: readonly EventFilter[], limit: number]
  ): Promise<readonly Readonly<Event>[]> {
    const found = await super.search(caller, ...search);
    return found.filter(({ type }) => this.types.isReadableWith(caller.scopes, type));
  }
}
