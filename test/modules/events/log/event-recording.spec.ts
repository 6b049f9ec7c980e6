import { EventSource } from '../../../../src/kernel/entity';
import { Event } from '../../../../src/modules/events/log/event';
import { EventRecording } from '../../../../src/modules/events/log/events.service';
import { EventsRepository } from '../../../../src/modules/events/log/events.repository';
import { Tx } from '../../../../src/platform/database/tx';
import { EventTypes } from '../../../../src/platform/events/event-types';
import { ApiVersions, FIRST_VERSION } from '../../../../src/platform/versions/api-versions';

const noon = new Date('2026-03-01T12:00:00.000Z');
const account = { id: 'acc_1', deliversEvents: false, issueEventId: () => ({ id: 'evt_1', at: noon }) };

class Review extends EventSource {
  readonly id = 'rev_1';
  override eventCount = 0;
}

class ReviewResponse {}

describe('The recorder of events', () => {
  const added: Event[] = [];
  const repository = { add: (_: Tx, event: Event) => added.push(event) } as unknown as EventsRepository;
  const types = new EventTypes([
    {
      resource: 'review',
      actions: { created: 'A review was created.' },
      operatorsOnly: true,
      response: ReviewResponse,
      render: () => ({ id: 'rev_1' }),
    },
  ]);
  const recording = new EventRecording(repository, types, new ApiVersions([]), { now: () => noon });

  it('records an event that only operators see, of no account', () => {
    recording.write({} as Tx, new Review().addEvent('review.created', null));
    expect(added).toMatchObject([
      { type: 'review.created', accountId: 'rev_1', object: { id: 'rev_1' }, apiVersion: FIRST_VERSION },
    ]);
  });

  it('records no such event of an account, which would see it', () => {
    const review = new Review().addEvent('review.created', account.id);
    expect(() => recording.write({} as Tx, review, account)).toThrow('Only operators see events');
    expect(added).toHaveLength(1);
  });
});
