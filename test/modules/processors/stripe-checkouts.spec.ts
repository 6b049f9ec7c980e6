import { checkoutReport } from '../../../src/modules/processors/stripe/stripe-checkouts.adapter';

type Session = Parameters<typeof checkoutReport>[0];

const declinedBy = (error: unknown): Session =>
  ({
    id: 'cs_1',
    status: 'complete',
    payment_status: 'unpaid',
    metadata: { attempt: '1' },
    payment_intent: { id: 'pi_1', status: 'requires_payment_method', last_payment_error: error },
  }) as unknown as Session;

describe('The report of a declined checkout at Stripe', () => {
  it.each([
    [{ code: 'card_declined', decline_code: 'insufficient_funds' }, 'insufficient_funds'],
    [{ code: 'payment_failed' }, 'payment_failed'],
    [{ code: 'payment_failed', decline_code: 'Grace Hopper has no money' }, undefined],
    [{ decline_code: 'x'.repeat(65) }, undefined],
    [{ decline_code: 7 }, undefined],
    [{ message: 'The card of Grace Hopper was declined.' }, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('has the code of the reason, and no other text: %j', (error, code) => {
    const report = checkoutReport(declinedBy(error));
    expect(report.status).toBe('declined');
    expect(report.declineCode).toBe(code);
  });
});
