import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { EventTypes } from '../../../platform/events/event-types';
import { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { AccountScopedReader, Principal } from '../../auth';
import { Event } from '../domain/event';
import { EventFilter, EventsRepository } from '../domain/events.repository';

const KEPT_DAYS = 30;

@Injectable()
export class Events extends AccountScopedReader<Event, EventFilter> {
  /** The periodic task that deletes old events. */
  readonly expiry: PeriodicTask = {
    name: 'old events',
    run: (now) => this.repository.deleteRecordedBefore(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
  };

  constructor(
    private readonly repository: EventsRepository,
    private readonly types: EventTypes,
  ) {
    super('evt', 'event', repository);
  }

  /** @throws DomainError `invalid_request` for an unknown type, and for a cursor that is not an event of the caller */
  override async list(
    caller: Principal,
    filter: EventFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Readonly<Event>>> {
    if (filter.type !== undefined && !this.types.has(filter.type)) {
      throw new DomainError('invalid_request', `type must be one of: ${this.types.names.join(', ')}.`);
    }
    return super.list(caller, filter, request);
  }
}
