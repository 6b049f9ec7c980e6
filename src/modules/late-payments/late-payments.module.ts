import { Module, OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../../platform/jobs/sweeps';
import { AccountsModule } from '../accounts';
import { ProvidersModule } from '../providers';
import { LatePayments } from './application/late-payments.service';
import { LatePaymentsRepository } from './domain/late-payments.repository';
import { LatePaymentsController } from './http/late-payments.controller';
import { TypeormLatePaymentsRepository } from './infrastructure/typeorm-late-payments.repository';

/** Money that came when its payment request could no longer take it, until it has gone back. */
@Module({
  imports: [AccountsModule, ProvidersModule],
  controllers: [LatePaymentsController],
  providers: [LatePayments, { provide: LatePaymentsRepository, useClass: TypeormLatePaymentsRepository }],
  exports: [LatePayments],
})
export class LatePaymentsModule implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly latePayments: LatePayments,
  ) {}

  onModuleInit(): void {
    this.sweeps.join({ name: 'late payments', run: (now) => this.latePayments.returnDue(now) });
  }
}
