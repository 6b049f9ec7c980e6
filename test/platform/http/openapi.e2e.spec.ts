import { documentedOperations, Operation, Schema } from '../../support/operations';
import { theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { SmtpServer } from '../../support/smtp';

interface Document {
  readonly components: { readonly schemas: Record<string, Schema>; readonly responses: object };
  readonly paths: Record<string, Record<string, { responses: object }>>;
}

/** The example of the token is no token that the service sent to anybody. */
const REQUIRES_TOKEN_OF_EMAIL = 'resetPassword';

describe('The OpenAPI document', () => {
  let service: TestService;
  let smtp: SmtpServer;
  let operations: Operation[];
  let document: Document;

  beforeAll(async () => {
    smtp = await SmtpServer.start();
    service = await startTestService(smtp.settings);
    operations = await documentedOperations(service.url);
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document;
  });
  afterAll(async () => {
    await service.stop();
    await smtp.stop();
  });

  it('is sent once to a client that keeps it', async () => {
    const first = await fetch(`${service.url}/openapi.json`);
    expect([first.status, first.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const etag = first.headers.get('etag')!;
    const again = await fetch(`${service.url}/openapi.json`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each(['br', 'gzip'])('is sent compressed to a client that accepts %s', async (encoding) => {
    const plain = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
    const compressed = await fetch(`${service.url}/openapi.json`, {
      headers: { 'accept-encoding': encoding },
    });
    expect([plain, compressed].map(({ headers }) => headers.get('content-encoding'))).toEqual([
      null,
      encoding,
    ]);
    expect(await compressed.text()).toBe(await plain.text());
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(40_000);
  });

  it('has examples that are valid requests', async () => {
    const account = await createByExamples();
    const { api: admin } = await theAdmin(service.api);
    const statuses: Record<string, number> = {};
    for (const operation of operations.filter(({ method }) => method !== 'DELETE')) {
      const reply = await send(operation, service.api.as(account.token), account.id);
      const { status } = reply.status === 403 ? await send(operation, admin, account.id) : reply;
      statuses[operation.id] = status;
    }
    const { [REQUIRES_TOKEN_OF_EMAIL]: _, ...others } = statuses;
    expect(Object.entries(others).filter(([, status]) => [400, 403].includes(status))).toEqual([]);
    const creations = ['createUser', 'createTransaction', 'createPaymentRequest', 'createSubscription'];
    expect(creations.map((id) => [id, statuses[id]])).toEqual(creations.map((id) => [id, 201]));
  });

  /** Creates the account of the examples. @returns its id and the token of the login of the examples */
  async function createByExamples(): Promise<{ id: string; token: string }> {
    const exampleOf = (id: string) => operations.find((operation) => operation.id === id)!.example;
    const account = await service.api.post('/v1/accounts', exampleOf('createAccount'));
    const login = await service.api.post('/v1/auth/login', exampleOf('login'));
    expect([account.status, login.status]).toEqual([201, 200]);
    return { id: account.body.id, token: login.body.access_token };
  }

  function send(
    { path, method, body, example, ...operation }: Operation,
    api: TestService['api'],
    id: string,
  ) {
    const exampleOf = (name: string): unknown => operation.parameters[name]!.example;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => String(exampleOf(name)));
    const query = operation.queryParameters
      .filter((name) => exampleOf(name) !== undefined)
      .map((name) => `${name}=${encodeURIComponent(String(exampleOf(name)))}`);
    const sent = JSON.stringify(example, (name, value: unknown) => (name === 'account_id' ? id : value));
    return api.call(method, `${filled}?${query.join('&')}`, body ? sent : undefined);
  }

  it('has a pattern for the texts of which a character must be visible, and blank ones are rejected', async () => {
    const { api: admin } = await theAdmin(service.api);
    const texts = operations.flatMap((operation) =>
      Object.entries(operation.body?.members ?? {})
        .filter(([, { pattern }]) => pattern === '\\S')
        .map(([name]) => [operation, name] as const),
    );
    expect(texts.map(([{ id }, name]) => `${id} ${name}`).toSorted()).toEqual([
      'approveApproval reason',
      'closeAccount reason',
      'createAccountNote text',
      'createAdjustment reason',
      'createSavedView name',
      'createUserNote text',
      'expireWebhookSecret reason',
      'rejectApproval reason',
      'requestApproval reason',
      'revokeApiKey reason',
      'updateAccount reason',
      'updateUser reason',
    ]);
    for (const [operation, name] of texts) {
      const blank = { ...operation, example: { ...operation.example, [name]: ' \u200b\n' } };
      const { status, body } = await send(blank, admin, 'unknown');
      expect([operation.id, status, body.error]).toEqual([operation.id, 400, 'invalid_request']);
      expect(body.message).toContain(`${name} must be`);
    }
  });

  it('is the same for the next service of the process', async () => {
    const replica = await service.replica();
    try {
      expect(await (await fetch(`${replica.url}/openapi.json`)).json()).toEqual(document);
    } finally {
      await replica.stop();
    }
  });

  it('has one schema of errors, with the codes of all modules', () => {
    const { Error, ErrorCode } = document.components.schemas;
    expect(Object.keys(Error!.properties!)).toEqual(['error', 'message']);
    expect(ErrorCode!.enum).toEqual(expect.arrayContaining(['unauthorized', 'invalid_reset_token']));
    const errors = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ responses }) => Object.entries(responses as Record<string, object>))
      .filter(([status]) => status >= '400');
    expect(errors.filter(([, response]) => !('$ref' in response))).toEqual([]);
  });

  it('names every enum, gives every integer bounds, and has an example for every other member', () => {
    const faults = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([member, schema]) =>
        faultsOf(schema).map((fault) => `${name}.${member}: ${fault}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('has a body that is too large on every method but GET, and a request id in every response', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        expect([method, path, '413' in responses]).toEqual([method, path, method !== 'get']);
      }
    }
    const all = Object.values(document.components.responses) as { headers: object }[];
    expect(all.every(({ headers }) => 'X-Request-Id' in headers)).toBe(true);
  });
});

/** A moment in the future has no example, which would soon be past. */
function faultsOf(schema: Schema & { items?: object }): string[] {
  const types = [schema.type ?? []].flat();
  const isObject = types.length === 0 || types.includes('array') || types.includes('object');
  return [
    ...((schema.enum?.length ?? 0) > 1 ? ['the enum has no name (nameEnum)'] : []),
    ...(types.includes('integer') && (schema.format === undefined || schema.minimum === undefined)
      ? ['the integer has no format or no bounds']
      : []),
    ...(!isObject && schema.example === undefined && schema.format !== 'date-time' ? ['no example'] : []),
  ];
}
