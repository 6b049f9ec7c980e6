import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { EventSource } from '../../../kernel/entity';
import { newId } from '../../../kernel/ids';
import { Tx } from '../../../platform/database/tx';
import { EventAccount, EventRecorder } from '../../../platform/events/event-recorder';
import { EventTypes } from '../../../platform/events/event-types';
import { ApiVersions } from '../../../platform/versions/api-versions';
import { Event } from './event';
import { EventsRepository } from './events.repository';

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
