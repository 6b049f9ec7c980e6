import { documentedOperations, Operation } from '../../support/operations';
import { anOwner, Owner, PASSWORD } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

/** Tests every operation whose body contains an email address. The login takes any string and is not among them. */
describe('Operations that take an email address', () => {
  let service: TestService;
  let owner: Owner;
  let operations: readonly { readonly operation: Operation; readonly member: string }[];

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
    operations = (await documentedOperations(service.url)).flatMap((operation) =>
      Object.entries(operation.body?.members ?? {})
        .filter(([, { format }]) => format === 'email')
        .map(([member]) => ({ operation, member })),
    );
  });
  afterAll(() => service.stop());

  const send = async ({ operation, member }: (typeof operations)[number], email: string): Promise<string> => {
    const body = {
      ...operation.sample,
      ...('account_id' in operation.sample && { account_id: owner.accountId }),
      ...('password' in operation.sample && { password: PASSWORD }),
      [member]: email,
    };
    const path = operation.path.replace(/\{\w+\}/g, owner.accountId);
    const { status, body: reply } = await owner.api.call(operation.method, path, JSON.stringify(body));
    return `${status} ${reply.error ?? ''}`;
  };

  it('are those that create or change users, accounts, payment requests and subscriptions', () => {
    expect(operations.map(({ operation }) => operation.id)).toEqual(
      expect.arrayContaining([
        'createUser',
        'createAccount',
        'updateOwnAccount',
        'createPaymentRequest',
        'createSubscription',
      ]),
    );
  });

  it.each([
    'ad\u0000a@example.com',
    '"ada"@example.com',
    '"a\\da"@example.com',
    '"a>da"@example.com',
    '"ad\u0001a"@example.com',
    '"ad\u007fa"@example.com',
    'ad\u0085a@example.com',
    'ad\u200ba@example.com',
    'ad\u200ea@example.com',
    'ad\u202ea@example.com',
    'ad\u2066a@example.com',
    'ad\u00ada@example.com',
    'ad\u2028a@example.com',
    'ad\u2029a@example.com',
    'ad\u00a0a@example.com',
    'ad\u3164a@example.com',
    'ad\ufeffa@example.com',
    'ada@exam\u200bple.com',
    'ada@exam\u00adple.com',
    'ａda@example.com',
    'ada＠example.com',
    '=?utf-8?q?ada=40evil.example=3e?=@example.com',
  ])('reject %j', async (email) => {
    for (const one of operations)
      expect([one.operation.id, await send(one, email)]).toEqual([one.operation.id, '400 invalid_request']);
  });
});
