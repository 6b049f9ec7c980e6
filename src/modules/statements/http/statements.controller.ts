import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Account, Accounts } from '../../accounts';
import { Caller, Principal } from '../../auth';
import { Statements } from '../application/statements.service';
import { statementFormats } from './statement-formats';
import { StatementQuery, StatementResponse } from './statements.dto';

const description =
  'The balance at the start and at the end of a period that is over, and what was posted in between. It is made from the append-only journal, so it is the same whenever it is asked for. It is available one hour after the end of the period.';

const PeriodParam = ApiParam({
  name: 'period',
  description: 'A year, a month or a day, in UTC.',
  schema: { type: 'string', pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$', example: '2026-10' },
});

/** Statements of accounts. */
@ApiTags('Accounts')
@Controller('v1')
export class StatementsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly statements: Statements,
  ) {}

  @Get('account/statements/:period')
  @PeriodParam
  @Operation({
    id: 'getOwnStatement',
    scope: 'transactions:read',
    summary: 'Retrieve a statement of the account of the token',
    errors: ['forbidden'],
    description,
    response: { type: StatementResponse, description: 'The statement.' },
    alsoAs: ['text/csv'],
  })
  async own(
    @Caller() caller: Principal,
    @Param('period') period: string,
    @Query() { format }: StatementQuery,
  ): Promise<StreamableFile> {
    return this.file(await this.accounts.own(caller), period, format);
  }

  @Get('accounts/:account_id/statements/:period')
  @PeriodParam
  @Operation({
    id: 'getStatement',
    scope: 'transactions:read',
    summary: 'Retrieve a statement of any account',
    errors: ['forbidden', 'not_found'],
    description: `For the back office and platform systems. ${description}`,
    response: { type: StatementResponse, description: 'The statement.' },
    alsoAs: ['text/csv'],
  })
  async any(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
    @Param('period') period: string,
    @Query() { format }: StatementQuery,
  ): Promise<StreamableFile> {
    return this.file(await this.accounts.get(caller, id), period, format);
  }

  private async file(
    account: Account,
    period: string,
    format: StatementQuery['format'],
  ): Promise<StreamableFile> {
    const statement = await this.statements.of(account, period);
    const { mediaType, write } = statementFormats[format];
    return new StreamableFile(Readable.from(write(statement)), {
      type: mediaType,
      ...(format !== 'json' && {
        disposition: `attachment; filename="statement-${account.id}-${period}.${format}"`,
      }),
    });
  }
}
