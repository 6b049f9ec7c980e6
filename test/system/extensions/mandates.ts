import { Body, Controller, Injectable, Module, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource, EntitySchema, MigrationInterface, QueryRunner } from 'typeorm';
import {
  accountOwnedColumns,
  AccountOwnedFilter,
  accountOwnedOperations,
  AccountOwnedResponse,
  accountOwnedResponse,
  accountOwnedSource,
  AccountOwnedTable,
  AccountScopedReader,
  AccountsModule,
  AccountStore,
  Caller,
  CreateAccountOwnedRequest,
  CursorListQuery,
  CursorListResponse,
  cursorListResponse,
  Database,
  eventCount,
  EventRecorder,
  EventSource,
  FieldsOf,
  FormatParam,
  IdempotencyKey,
  IdempotentOperation,
  IdempotentRequest,
  lifecycle,
  ListFilters,
  ListFormat,
  listIndices,
  listOrCsv,
  parseListRequest,
  Principal,
  referenceFilter,
  register,
  ResponseField,
  SearchModule,
  SearchSources,
  StoredResponse,
} from '../../../src';
import { ServiceModule } from '../../../src/platform/service-module';

const mandateLifecycle = lifecycle({
  states: ['active', 'revoked'],
  initial: ['active'],
  transitions: { revoke: { from: ['active'], to: 'revoked' } },
});

/** What a customer has signed: a resource of an account without an amount. */
export class Mandate extends EventSource {
  readonly accountId: string;
  readonly id: string;
  readonly reference: string | null;
  status: 'active' | 'revoked';
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(fields: FieldsOf<Mandate>) {
    super();
    Object.assign(this, fields);
  }

  static create(terms: Pick<Mandate, 'accountId' | 'id' | 'reference'>, at: Date): Mandate {
    const state = { status: 'active', createdAt: at, updatedAt: at, eventCount: 0 } as const;
    return new Mandate({ ...terms, ...state }).addEvent('mandate.created', terms.accountId);
  }
}

const listFilters: ListFilters = {
  prefix: 'mand',
  table: 'mandates',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: { status: { column: 'status', values: mandateLifecycle.states } },
};

const mandateSchema = new EntitySchema<Mandate>({
  name: 'Mandate',
  target: Mandate,
  tableName: 'mandates',
  columns: {
    ...accountOwnedColumns,
    reference: { type: 'text', nullable: true, update: false },
    eventCount,
  },
  indices: listIndices(listFilters),
});

class Mandates1798761600001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "mandates" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "status" text NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "reference" text,
      "event_count" integer NOT NULL DEFAULT 0,
      PRIMARY KEY ("account_id", "id")
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "mandates"');
  }
}

class CreateMandateRequest extends CreateAccountOwnedRequest {}

class ListMandatesQuery extends CursorListQuery('mand', 'mandates', {
  status: mandateLifecycle.states,
  reference: referenceFilter,
}) {
  @FormatParam() format?: ListFormat;
}

class MandateResponse extends AccountOwnedResponse('mand', mandateLifecycle.states) {
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;
}

class MandatesResponse extends CursorListResponse(MandateResponse) {}

function mandateResponse(mandate: Readonly<Mandate>): MandateResponse {
  return { ...accountOwnedResponse(mandate), reference: mandate.reference };
}

type MandateFilter = AccountOwnedFilter<Mandate>;

@Injectable()
export class MandatesTable extends AccountOwnedTable<Mandate, MandateFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, mandateSchema, listFilters, events);
  }
}

@Injectable()
class Mandates extends AccountScopedReader<Mandate, MandateFilter> {
  constructor(
    private readonly table: MandatesTable,
    private readonly accounts: AccountStore,
  ) {
    super('mand', 'mandate', table);
  }

  create(
    caller: Principal,
    { account_id: accountId, reference = null }: CreateMandateRequest,
    operation: IdempotentOperation<Mandate>,
  ): Promise<StoredResponse> {
    const resource = { accountId, idPrefix: 'mand', action: 'mandate.create', purpose: 'record' } as const;
    return this.accounts.create(caller, resource, operation, async (tx, _account, { id, at }) => {
      const mandate = Mandate.create({ accountId, id, reference }, at);
      this.table.add(tx, mandate);
      return mandate;
    });
  }
}

const operations = accountOwnedOperations('mandate', 'mand', { scope: 'mandates' });

@ApiTags('Mandates')
@Controller('v1/mandates')
class MandatesController {
  constructor(private readonly mandates: Mandates) {}

  @operations.Create(MandateResponse, { errors: ['not_found'] })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateMandateRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<StoredResponse> {
    return this.mandates.create(caller, body, { ...request, render: mandateResponse });
  }

  @operations.List(MandatesResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListMandatesQuery,
  ): Promise<MandatesResponse | StreamableFile> {
    return listOrCsv(MandatesResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.mandates.list(caller, filter, page), mandateResponse);
    });
  }

  @operations.Get(MandateResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string): Promise<MandateResponse> {
    return mandateResponse(await this.mandates.get(caller, id));
  }
}

@Module({
  imports: [AccountsModule, SearchModule],
  controllers: [MandatesController],
  providers: [
    Mandates,
    MandatesTable,
    register(SearchSources, [Mandates], (reader) =>
      accountOwnedSource({
        name: 'mandate',
        scope: 'mandates:read',
        reader,
        filters: (reference) => [{ reference }],
        render: mandateResponse,
      }),
    ),
  ],
  exports: [MandatesTable],
})
export class MandatesModule {}

/** An extension whose resource has no amount. */
export const mandates: ServiceModule = {
  module: MandatesModule,
  entities: [mandateSchema],
  migrations: [Mandates1798761600001],
  idPrefixes: ['mand'],
  scopes: [
    { name: 'mandates:read', within: 'payments:read' },
    { name: 'mandates:write', within: 'payments:write' },
  ],
  tags: [{ name: 'Mandates', description: 'What customers have signed.' }],
  events: [
    {
      resource: 'mandate',
      scope: 'mandates:read',
      actions: { created: 'A mandate was created.' },
      response: MandateResponse,
      render: mandateResponse,
    },
  ],
};
