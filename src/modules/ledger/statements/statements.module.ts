import { Module } from '@nestjs/common';
import { ServiceModule } from '../../../platform/service-module';
import { AccountsModule } from '../../accounts/accounts.module';
import { LedgerModule } from '../ledger.module';
import { Statements } from './statements.service';
import { StatementsController } from './statements.controller';

/** Statements of accounts for periods that are over, made from the journal. */
@Module({
  imports: [AccountsModule, LedgerModule],
  controllers: [StatementsController],
  providers: [Statements],
})
class StatementsModule {}

export const statements: ServiceModule = { module: StatementsModule, entities: [] };
