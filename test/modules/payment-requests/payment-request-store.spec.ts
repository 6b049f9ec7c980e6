import { PaymentRequestStore } from '../../../src/modules/payment-requests/application/payment-request-store.service';
import { AccountReader, AccountStore } from '../../../src/modules/accounts';
import { Database } from '../../../src/platform/database/database';
import { PaymentRequest } from '../../../src/modules/payment-requests/domain/payment-request';
import { PaymentRequestListeners } from '../../../src/modules/payment-requests/domain/payment-context';
import { PaymentRequestsRepository } from '../../../src/modules/payment-requests/domain/payment-requests.repository';

const fields = {
  id: 'pay_1',
  accountId: 'acc_1',
  amount: 1250,
  currency: 'USD',
  customerEmail: 'customer@example.com',
  reference: null,
  metadata: {},
  returnUrl: null,
  cancelUrl: null,
  splits: null,
};

it('reads a payment link that many visitors open at the same moment once', async () => {
  const request = PaymentRequest.create(fields, null, new Date());
  const unknown = PaymentRequest.create(fields, null, new Date()).secret;
  const reads: string[] = [];
  const repository: Partial<PaymentRequestsRepository> = {
    findBySecrets(secrets) {
      reads.push(`requests of ${secrets.length} links`);
      return Promise.resolve(secrets.includes(request.secret) ? [request] : []);
    },
  };
  const payees: Partial<AccountReader> = {
    find(id) {
      reads.push(id);
      return Promise.resolve({ id } as never);
    },
  };
  const store = new PaymentRequestStore(
    {} as Database,
    repository as PaymentRequestsRepository,
    {} as AccountStore,
    payees as AccountReader,
    new PaymentRequestListeners(),
  );

  const visits = [...Array.from({ length: 50 }, () => request.secret), unknown, 'no secret'];
  const found = await Promise.all(visits.map((secret) => store.findBySecret(secret)));

  expect(found.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => ({ request, payee: { id: 'acc_1' } })));
  expect(found.slice(50)).toEqual([null, null]);
  expect(reads).toEqual(['requests of 2 links', 'acc_1']);
});
