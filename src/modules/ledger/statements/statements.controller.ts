import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { DomainError } from '../../../kernel/domain-error';
import { IdParam, Operation } from '../../../platform/http/operation';
import { streamedFile } from '../../../platform/http/streamed-file';
import { Account, Accounts } from '../../accounts';
import { Caller, Principal } from '../../auth/http';
import { Statements } from './statements.service';
import { Period } from './statement';
import { StatementFormat, statementFormats } from './statement-formats.view';
import { StatementQuery, StatementResponse } from './statements.dto';

const description =
  'The balance at the start and at the end of a period that is over, and what was posted in between. It is made from the append-only journal, so it is the same whenever it is asked for. It is available one hour after the end of the period. A period that was over before the account was opened is `not_found`.';

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
    errors: ['not_found'],
    description,
    response: { type: StatementResponse, description: 'The statement.' },
    alsoAs: ['text/csv', 'application/xml', 'application/pdf'],
  })
  async own(
    @Caller() caller: Principal,
    @Param('period') period: string,
    @Query() { format }: StatementQuery,
  ) {
    return this.file(parsePeriod(period), () => this.accounts.own(caller), format);
  }

  @Get('accounts/:account_id/statements/:period')
  @PeriodParam
  @Operation({
    id: 'getStatement',
    scope: 'transactions:read',
    summary: 'Retrieve a statement of any account',
    errors: ['not_found'],
    description: `For the back office and platform systems. ${description}`,
    response: { type: StatementResponse, description: 'The statement.' },
    alsoAs: ['text/csv', 'application/xml', 'application/pdf'],
  })
  async any(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
    @Param('period') period: string,
    @Query() { format }: StatementQuery,
  ) {
    return this.file(parsePeriod(period), () => this.accounts.get(caller, id), format);
  }

  private async file(
    period: Period,
    find: () => Promise<Account>,
    format: StatementQuery['format'],
  ): Promise<StreamableFile> {
    const account = await find();
    const statement = await this.statements.of(account, period);
    const { mediaType, extension, write }: StatementFormat = statementFormats[format];
    return streamedFile(write(statement), {
      type: mediaType,
      ...(extension !== undefined && { name: `statement-${account.id}-${period.name}.${extension}` }),
    });
  }
}

/** @throws DomainError `not_found` for a text that names no period */
function parsePeriod(name: string): Period {
  const period = Period.parse(name);
  if (period === null)
    throw new DomainError('not_found', 'A period is a year, a month or a day, such as 2026-10.');
  return period;
}
