import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, MINUTE_MS } from '../../../kernel/clock';
import { CustomErrorCode, DomainError } from '../../../kernel/domain-error';
import { EventSource } from '../../../kernel/entity';
import { newId, timeOfId } from '../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/database';
import { EventAccount, EventRecorder } from '../../../platform/events/event-recorder';
import { EventTypes } from '../../../platform/events/event-types';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { ApiVersions } from '../../../platform/versions/api-versions';
import { AccountScopedReader, Principal, seesAllAccounts } from '../../auth';
import { Event, EventSummaries } from './event';
import { EventFilter, EventsRepository } from './events.repository';

const KEPT_DAYS = 30;

export const cursorExpired = new CustomErrorCode(
  'cursor_expired',
  410,
  'Events that follow the cursor have been deleted.',
);

@Injectable()
export class Events extends AccountScopedReader<Event, EventFilter> {
  readonly expiry: PeriodicTask = {
    name: 'old events',
    intervalMs: MINUTE_MS,
    run: async (now) => {
      const summed = await Promise.all(this.summaries.members.map((summary) => summary.summedUntil()));
      const times = [beginningOfEvents(now), ...summed].map((time) => time.getTime());
      return this.repository.deleteRecordedBefore(new Date(Math.min(...times)));
    },
  };

  constructor(
    private readonly repository: EventsRepository,
    private readonly types: EventTypes,
    private readonly summaries: EventSummaries,
    private readonly clock: Clock,
  ) {
    super('evt', 'event', repository);
  }

  /**
   * Only the events that show what the caller may read.
   * @throws DomainError `invalid_request` for an unknown type; `forbidden` for a type that the caller may not read;
   * `cursor_expired` when events that follow the cursor have been deleted, on the way to newer ones
   */
  override async list(
    caller: Principal,
    filter: EventFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Readonly<Event>>> {
    const type = this.readableTypes(caller, filter.type);
    if (type?.length === 0) return { items: [], hasMore: false };
    const page = await super.list(caller, { ...filter, type }, request);
    // After the page is read, since events may be deleted at any time.
    const newerThan = filter.order === 'asc' ? request.startingAfter : request.endingBefore;
    if (newerThan !== undefined) await this.assertKeptAfter(newerThan, caller, filter.accountId);
    return page;
  }

  /** @throws DomainError `not_found`; `forbidden` for an event that the caller may not read */
  override async get(caller: Principal, id: string): Promise<Readonly<Event>> {
    const event = await super.get(caller, id);
    this.types.assertReadableBy(caller, event.type);
    return event;
  }

  override async search(
    caller: Principal,
    ...search: [text: string, filters: readonly EventFilter[], limit: number]
  ): Promise<readonly Readonly<Event>[]> {
    const found = await super.search(caller, ...search);
    return found.filter(({ type }) => this.types.isReadableBy(caller, type));
  }

  /** @returns undefined for all */
  private readableTypes(caller: Principal, types?: string | readonly string[]) {
    if (types === undefined) {
      const readable = this.types.readableBy(caller);
      return readable.length === this.types.all.length ? undefined : readable;
    }
    const given = [...new Set([types].flat())];
    if (!given.every((type) => this.types.has(type)))
      throw new DomainError('invalid_request', `type must be one of: ${this.types.names.join(', ')}.`);
    for (const type of given) this.types.assertReadableBy(caller, type);
    return given;
  }

  private async assertKeptAfter(id: string, caller: Principal, accountId: string | undefined): Promise<void> {
    if (timeOfId(id) >= beginningOfEvents(this.clock.now())) return;
    const owner = seesAllAccounts(caller) ? accountId : caller.accountId;
    if (owner === null || !(await this.repository.hasDeletedAfter(id, owner))) return;
    throw new DomainError(
      cursorExpired,
      `Events that follow this one have been deleted, because they are kept for ${KEPT_DAYS} days. Read the resources again, then go on from the oldest event with order=asc and no cursor.`,
    );
  }
}

/** When the oldest event that is kept may have been recorded. */
function beginningOfEvents(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * DAY_MS);
}

@Injectable()
export class EventRecording extends EventRecorder {
  constructor(
    private readonly repository: EventsRepository,
    private readonly types: EventTypes,
    private readonly versions: ApiVersions,
    private readonly clock: Clock,
  ) {
    super();
  }

  protected record(tx: Tx, type: string, resource: EventSource, account: EventAccount | null): void {
    const { operatorsOnly, render } = this.types.get(type);
    if (operatorsOnly && account !== null)
      throw new Error(`Only operators see events of the type ${type}, but one belongs to ${account.id}.`);
    const now = this.clock.now();
    const { id, at } = account?.issueEventId(now) ?? { id: newId('evt', now), at: now };
    const event = Event.of({
      accountId: account?.id ?? resource.id,
      id,
      type,
      objectId: resource.id,
      sequence: resource.countEvent(),
      object: render(resource),
      apiVersion: this.versions.newest.name,
      createdAt: at,
    });
    this.repository.add(tx, event);
    if (account?.deliversEvents) this.repository.addToFeed(tx, event);
  }
}
