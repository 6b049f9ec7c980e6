import { Webhook } from 'standardwebhooks';
import { Forwarder } from '../../../src/service/developer/forwarder';
import { Output } from '../../../src/service/terminal';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { aTerminal, TestTerminal } from '../../support/terminal';

const event = {
  id: 'evt_1',
  type: 'transaction.created',
  object_id: 'txn_1',
  created_at: '2026-01-31T09:30:00.000Z',
};
const LINE = '2026-01-31T09:30:00.000Z transaction.created txn_1';
const webhook = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);

let receiver: Receiver;
let terminal: TestTerminal;
let interruption: AbortController;
let waits: number[];
let forwarder: Forwarder;

beforeEach(async () => {
  receiver = await Receiver.start();
  terminal = aTerminal();
  interruption = new AbortController();
  waits = [];
  forwarder = new Forwarder(
    `${receiver.url}/hook`,
    webhook,
    new Output(terminal, {}),
    async (ms) => void waits.push(ms),
  );
});
afterEach(() => receiver.stop());

const forward = (): Promise<void> => forwarder.forward(event, interruption.signal);

describe('A forward', () => {
  it('that succeeds is made once', async () => {
    receiver.respondWith(204);
    await forward();
    expect(receiver.received).toHaveLength(1);
    expect([terminal.out, waits]).toEqual([`${LINE} 204\n`, []]);
  });

  it.each([500, 302])('that gets %d is repeated three times, each signed', async (status) => {
    receiver.respondWith(status, { Location: '/elsewhere' });
    await forward();
    expect(terminal.out.trimEnd().split('\n')).toEqual(
      [1, 2, 3, 4].map((attempt) => `${LINE} ${status} (attempt ${attempt} of 4)`),
    );
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook', '/hook']);
    for (const { body, headers } of receiver.received)
      expect(webhook.verify(body, headers as Record<string, string>)).toEqual(event);
  });

  it('that gets no response is repeated, and its success is the end', async () => {
    receiver.respond = (response) => {
      if (receiver.received.length < 3) response.destroy();
      else response.end();
    };
    await forward();
    expect(
      terminal.out
        .replaceAll(/ (UND_\w+|ECONNRESET)/g, ' lost')
        .trimEnd()
        .split('\n'),
    ).toEqual([
      `${LINE} lost (attempt 1 of 4)`,
      `${LINE} lost (attempt 2 of 4)`,
      `${LINE} 200 (attempt 3 of 4)`,
    ]);
  });

  it('ends at once when it is interrupted', async () => {
    receiver.respond = () => interruption.abort();
    await forward();
    expect([receiver.received.length, terminal.out]).toEqual([1, '']);
  });
});
