import { Controller, Get, Module, Post, Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { MessageResponse, Operation, register, SearchModule, SearchSources } from '../../../src';
import { ServiceModule } from '../../../src/platform/service-module';
import { Api } from '../../support/api';
import { documentedOperations } from '../../support/operations';
import { anOwner, created, Owner } from '../../support/people';
import { startTestService, startTestServiceOn, TestService } from '../../support/service';

const operation = (id: string, scope: string) =>
  Operation({ id, scope, summary: 'Do something', response: MessageResponse });

@Controller('v1/payouts')
class PayoutsController {
  @Get()
  @operation('readPayouts', 'payouts:read')
  read(): MessageResponse {
    return { message: 'Read.' };
  }

  @Post('reports')
  @operation('reportPayouts', 'payout_reports')
  report(): MessageResponse {
    return { message: 'Reported.' };
  }
}

const found = { id: 'pout_1', accountId: null, object: {} };

@Module({
  imports: [SearchModule],
  controllers: [PayoutsController],
  providers: [
    register(SearchSources, [], () => ({ name: 'payout', scope: 'payouts:read', find: async () => [found] })),
  ],
})
class PayoutsModule {}

const payouts: ServiceModule = {
  module: PayoutsModule,
  scopes: [{ name: 'payouts:read', within: 'transactions:read' }, { name: 'payout_reports' }],
};

describe('The scopes of an extension', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [payouts]);
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const withKey = async (scopes?: string[]): Promise<Api> => {
    const { key } = await created(owner.api, '/v1/api-keys', { name: 'Shop', scopes });
    return service.api.as(key);
  };
  const statuses = async (api: Api): Promise<number[]> => [
    (await api.get('/v1/payouts')).status,
    (await api.post('/v1/payouts/reports', {})).status,
  ];

  it.each<[string, string[] | undefined, number[]]>([
    ['itself, alone', ['payouts:read'], [200, 403]],
    ['the wide scope that contains it', ['transactions:read'], [200, 403]],
    ['a wide scope of an extension', ['payout_reports'], [403, 200]],
    ['other scopes', ['transactions:write', 'payments:read'], [403, 403]],
    ['no scopes in the request', undefined, [200, 200]],
  ])('open its operations to a key with %s', async (_, scopes, expected) => {
    expect(await statuses(await withKey(scopes))).toEqual(expected);
  });

  it('open nothing else to the key', async () => {
    expect((await (await withKey(['payouts:read'])).get('/v1/transactions')).status).toBe(403);
  });

  it('let a key find what they show', async () => {
    const types = async (scopes: string[]) => {
      const { body } = await (await withKey(['transactions:read', ...scopes])).get('/v1/search?q=week-47');
      return body.data.map(({ type }: { type: string }) => type);
    };
    expect(await types([])).toEqual(['payout']);
  });

  it('are in the order of their declaration in the response, and named in the error about others', async () => {
    const scopes = ['payouts:read', 'payout_reports', 'webhooks'];
    const { body } = await owner.api.post('/v1/api-keys', { name: 'Shop', scopes });
    expect(body.scopes).toEqual(['webhooks', 'payout_reports', 'payouts:read']);
    const rejected = await owner.api.post('/v1/api-keys', { name: 'Shop', scopes: ['payouts:write'] });
    expect([rejected.status, rejected.body.error]).toEqual([400, 'invalid_request']);
    expect(rejected.body.message).toContain('payout_reports');
  });

  it('are part of the OpenAPI document of the service that has it, and of no other', async () => {
    const scopesOf = async ({ url }: TestService): Promise<string[]> => {
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPIObject;
      return (document.components!.schemas!['ApiScope'] as { enum: string[] }).enum;
    };
    const other = await startTestService();
    try {
      const core = await scopesOf(other);
      const all = await scopesOf(service);
      expect(core).toContain('transactions:read');
      expect(all.filter((scope) => !core.includes(scope))).toEqual(['payout_reports', 'payouts:read']);
    } finally {
      await other.stop();
    }
    const operations = await documentedOperations(service.url);
    expect(operations.find(({ id }) => id === 'readPayouts')!.keyScopes).toEqual(['payouts:read']);
  });

  const { scopes: _scopes, ...undeclared } = payouts;
  const startWith = (module: Type) =>
    startTestServiceOn(service.databaseUrl, {}, [{ ...undeclared, module }]);

  it('must be declared by a module where an operation needs one', async () => {
    await expect(startWith(PayoutsModule)).rejects.toThrow(
      'The scope "payouts:read" of the operation PayoutsController.read is declared by no module. Add it to the scopes of one.',
    );
  });

  it('must be declared by a module where a search source needs one', async () => {
    @Module({
      imports: [SearchModule],
      providers: [
        register(SearchSources, [], () => ({ name: 'payout', scope: 'payouts:read', find: async () => [] })),
      ],
    })
    class FoundModule {}
    await expect(startWith(FoundModule)).rejects.toThrow(
      'The scope "payouts:read" of the search source "payout" is declared by no module.',
    );
  });
});
