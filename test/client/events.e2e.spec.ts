import { CountinghouseEvent, EventType, verifyWebhook } from '../../client/src/index.js';
import { clientOf } from '../support/client';
import { anOwner } from '../support/people';
import { aTransaction } from '../support/request-bodies';
import { startTestService, TestService } from '../support/service';

/** The amount that an event has moved. TypeScript rejects what the type of the event does not have. */
function amountMoved(event: CountinghouseEvent): number | null {
  // @ts-expect-error -- not every object has an amount
  void event.data.object.amount;
  if (event.type === 'transaction.succeeded') {
    // @ts-expect-error -- an email is part of a user or an account
    void event.data.object.email;
    return event.data.object.amount;
  }
  // @ts-expect-error -- the service has no such event
  if (event.type === 'transaction.paid') return null;
  return null;
}

describe('CountinghouseEvent', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('tells by the type of an event what its object is, in lists and single events', async () => {
    const owner = await anOwner(service.api);
    const client = clientOf(service, owner);
    const body = aTransaction(owner.accountId, { type: 'credit', amount: 1250 });
    await owner.api.post('/v1/transactions', body);
    const amounts = new Map<EventType, number | null>();
    for await (const { id } of client.list('/v1/events')) {
      const event = await client.get('/v1/events/{event_id}', { params: { path: { event_id: id } } });
      amounts.set(event.type, amountMoved(event));
    }
    expect(Object.fromEntries(amounts)).toEqual({ 'account.created': null, 'transaction.succeeded': 1250 });
  });

  it('takes the types that a function handles', () => {
    const nameOf = ({ data }: CountinghouseEvent<'user.created' | 'user.deleted'>): string | null =>
      data.object.name;
    // @ts-expect-error -- the event is about a user, and not about a transaction
    const wrong: Parameters<typeof nameOf>[0] = {} as CountinghouseEvent<'transaction.created'>;
    expect(() => nameOf(wrong)).toThrow(TypeError);
  });

  it('is what a verified webhook is, which may also be of an extension', () => {
    type PayoutEvent = { readonly type: 'payout.sent'; readonly data: { readonly object: { iban: string } } };
    const verified = async () => {
      const event = await verifyWebhook('', {}, '');
      return amountMoved(event);
    };
    const extended = async (): Promise<string | null> => {
      const event = await verifyWebhook<CountinghouseEvent | PayoutEvent>('', {}, '');
      return event.type === 'payout.sent' ? event.data.object.iban : null;
    };
    return Promise.all([verified, extended].map((call) => expect(call()).rejects.toThrow('are missing')));
  });
});
