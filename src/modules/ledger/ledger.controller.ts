import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '../../kernel/clock';
import { listOrCsv } from '../../platform/http/csv-export';
import { parseListRequest } from '../../platform/http/list-query';
import { IdParam, Operation } from '../../platform/http/operation';
import { cursorListResponse } from '../../platform/http/response-fields';
import { Account, Accounts } from '../accounts';
import { Caller, Principal } from '../auth/http';
import { Ledger } from './ledger.service';
import {
  BalanceQuery,
  balanceResponse,
  BalanceResponse,
  EntriesResponse,
  entryResponse,
  ListEntriesQuery,
  parseEntryCursor,
  pastBalanceResponse,
} from './ledger.dto';

/** What the journal has recorded for an account: its balance, now or at an earlier time, and its entries. */
@ApiTags('Accounts')
@Controller('v1')
export class LedgerController {
  constructor(
    private readonly accounts: Accounts,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
  ) {}

  @Get('account/balance')
  @Operation({
    id: 'getOwnBalance',
    scope: 'transactions:read',
    summary: 'Retrieve the balance of the account of the token',
    response: { type: BalanceResponse, description: 'The balance.' },
  })
  async ownBalance(@Caller() caller: Principal, @Query() query: BalanceQuery) {
    return this.readBalance(await this.accounts.own(caller), query);
  }

  @Get('accounts/:account_id/balance')
  @Operation({
    id: 'getBalance',
    scope: 'transactions:read',
    summary: 'Retrieve the balance of any account',
    errors: ['not_found'],
    description: 'For the back office and platform systems.',
    response: { type: BalanceResponse, description: 'The balance.' },
  })
  async balance(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
    @Query() query: BalanceQuery,
  ) {
    return this.readBalance(await this.accounts.get(caller, id), query);
  }

  @Get('account/entries')
  @Operation({
    id: 'listOwnEntries',
    scope: 'transactions:read',
    summary: 'List the journal entries of the account of the token',
    response: { type: EntriesResponse, description: 'One page, newest first.' },
    alsoAs: ['text/csv'],
  })
  async ownEntries(@Caller() caller: Principal, @Query() query: ListEntriesQuery) {
    return this.listEntries(await this.accounts.own(caller), query);
  }

  @Get('accounts/:account_id/entries')
  @Operation({
    id: 'listEntries',
    scope: 'transactions:read',
    summary: 'List the journal entries of any account',
    errors: ['not_found'],
    description: 'For the back office and platform systems.',
    response: { type: EntriesResponse, description: 'One page, newest first.' },
    alsoAs: ['text/csv'],
  })
  async entries(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
    @Query() query: ListEntriesQuery,
  ) {
    return this.listEntries(await this.accounts.get(caller, id), query);
  }

  private async readBalance(account: Account, { as_of: asOf }: BalanceQuery): Promise<BalanceResponse> {
    if (asOf === undefined) return balanceResponse(account, this.clock.now());
    return pastBalanceResponse(account, await this.ledger.postedAt(account.id, asOf), asOf);
  }

  /** The account is read, and its read recorded, once for all pages of an export. */
  private listEntries(account: Account, query: ListEntriesQuery): Promise<EntriesResponse | StreamableFile> {
    return listOrCsv(EntriesResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      const startingAfter = parseEntryCursor(page.startingAfter);
      const endingBefore = parseEntryCursor(page.endingBefore);
      const entries = await this.ledger.list(account, filter, { ...page, startingAfter, endingBefore });
      return cursorListResponse(entries, entryResponse);
    });
  }
}
