import { Module, OnModuleInit } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts';
import { AuthModule } from '../auth';
import { LedgerModule } from '../ledger';
import { accountOwnedSource, SearchModule, SearchSources } from '../search';
import { Adjustments } from './application/adjustments.service';
import { AdjustmentsRepository } from './domain/adjustments.repository';
import { AccountAdjustmentsController, AdjustmentsController } from './http/adjustments.controllers';
import { adjustmentResponse, AdjustmentResponse } from './http/adjustments.dto';
import { adjustmentSchema } from './infrastructure/adjustment.schema';
import { TypeormAdjustmentsRepository } from './infrastructure/typeorm-adjustments.repository';

/** Corrections of balances by admins, which are postings of their own. */
@Module({
  imports: [AuthModule, AccountsModule, LedgerModule, SearchModule],
  controllers: [AccountAdjustmentsController, AdjustmentsController],
  providers: [Adjustments, { provide: AdjustmentsRepository, useClass: TypeormAdjustmentsRepository }],
})
class AdjustmentsModule implements OnModuleInit {
  constructor(
    private readonly search: SearchSources,
    private readonly adjustments: Adjustments,
  ) {}

  onModuleInit(): void {
    this.search.register(
      accountOwnedSource({
        name: 'adjustment',
        scope: 'transactions:read',
        reader: this.adjustments,
        filters: (reference) => [{ reference }],
        render: adjustmentResponse,
      }),
    );
  }
}

export const adjustments: ServiceModule = {
  module: AdjustmentsModule,
  entities: [adjustmentSchema],
  idPrefixes: ['adj'],
  tags: [{ name: 'Adjustments', description: 'Corrections of balances by admins.' }],
  events: [
    {
      resource: 'adjustment',
      actions: { posted: 'The balance of an account was corrected.' },
      response: AdjustmentResponse,
      render: adjustmentResponse,
    },
  ],
};
