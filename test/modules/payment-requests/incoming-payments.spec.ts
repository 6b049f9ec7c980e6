import { CustomErrorCode, DomainError, ErrorCode } from '../../../src/kernel/domain-error';
import { IncomingPayments } from '../../../src/modules/payment-requests/application/incoming-payments.service';
import { PaymentRequest } from '../../../src/modules/payment-requests/domain/payment-request';
import { PaymentContext } from '../../../src/modules/payment-requests/domain/payment-context';
import { stateAfterError } from '../../../src/modules/payment-requests/page/page-state';

const NOW = new Date('2026-11-23T10:00:00Z');
const arrived = { reference: 'pi_1', amount: 1250, currency: 'USD' };
const terms = {
  customerEmail: 'customer@example.com',
  reference: null,
  metadata: {},
  returnUrl: null,
  cancelUrl: null,
  splits: null,
};
const limitReached = new CustomErrorCode('limit_reached', 429, 'A code that an extension adds.');

/** Receives a payment whose posting does what `post` does. @returns the recorded reasons and the request's status */
async function receive(post: (request: PaymentContext['request']) => object): Promise<string[]> {
  const { amount, currency } = arrived;
  const request = PaymentRequest.create(
    { accountId: 'acc_1', id: 'pay_1', amount, currency, ...terms },
    null,
    NOW,
  );
  const recorded: string[] = [];
  const transactions = { recordPayment: async () => post(request) };
  const unapplied = {
    isRecorded: async () => false,
    record: (_tx: unknown, _payee: unknown, { reason }: { reason: string }) => recorded.push(reason),
  };
  const unused = {} as never;
  const payments = new IncomingPayments(
    unused,
    unused,
    unused,
    transactions as never,
    unused,
    unapplied as never,
    unused,
  );
  const context = { request, payee: { status: 'active' } as never, accounts: new Map() };
  await payments.receive({} as never, context, arrived, NOW);
  return [...recorded, request.status];
}

const failing = (code: ErrorCode) => (): never => {
  throw new DomainError(code, 'No.');
};

describe('A payment that has arrived', () => {
  it('is applied', async () => {
    expect(await receive(() => ({ id: 'txn_1', createdAt: NOW }))).toEqual(['succeeded']);
  });

  it.each(['forbidden', 'invalid_request', 'conflict', 'not_found', limitReached] as const)(
    'is unapplied when the account or a hook rejects it with %j',
    async (code) => {
      expect(await receive(failing(code))).toEqual(['rejected', 'pending']);
    },
  );

  it.each(['unavailable', 'rate_limited', 'internal_error'] as const)(
    'is reported again after %s, which decides nothing',
    async (code) => {
      await expect(receive(failing(code))).rejects.toMatchObject({ code });
    },
  );

  it('is not recorded as unapplied after a defect', async () => {
    const defect = new TypeError('planted');
    await expect(
      receive(() => {
        throw defect;
      }),
    ).rejects.toBe(defect);
  });

  it('is never posted and recorded as unapplied', async () => {
    const pay = (request: PaymentContext['request']): object => {
      request.fail(NOW);
      return { id: 'txn_1', createdAt: NOW };
    };
    await expect(receive(pay)).rejects.toMatchObject({ code: 'conflict' });
  });
});

it.each([
  ['conflict', 'rejected'],
  ['forbidden', 'unavailable'],
  ['invalid_request', 'unavailable'],
  [limitReached, 'unavailable'],
  ['unavailable', null],
  ['rate_limited', null],
  ['internal_error', null],
] as const)('The page after %j shows %s', (code, state) => {
  expect(stateAfterError(new DomainError(code, 'No.'))).toBe(state);
  expect(stateAfterError(new TypeError('planted'))).toBe(null);
});
