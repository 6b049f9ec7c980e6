import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { AuthModule, SignInSubjects } from '../auth';
import { AccountAdmission, UsersModule } from '../users';
import { Accounts } from './application/accounts.service';
import { AccountClosing } from './domain/account-closing';
import { AccountsRepository } from './domain/accounts.repository';
import { AccountController } from './http/account.controller';
import { AccountsController } from './http/accounts.controller';
import { TypeormAccountsRepository } from './infrastructure/typeorm-accounts.repository';

/** Accounts of individuals and businesses: who they are, how they stand, and the lock that all their money takes. */
@Module({
  imports: [AuthModule, UsersModule],
  controllers: [AccountController, AccountsController],
  providers: [Accounts, AccountClosing, { provide: AccountsRepository, useClass: TypeormAccountsRepository }],
  exports: [Accounts, AccountClosing],
})
export class AccountsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly subjects: SignInSubjects,
    private readonly admission: AccountAdmission,
    private readonly accounts: Accounts,
    private readonly repository: AccountsRepository,
    private readonly closing: AccountClosing,
  ) {}

  onModuleInit(): void {
    this.subjects.join({ name: 'account', describe: (id) => this.repository.find(id) });
    this.admission.join({
      name: 'accounts',
      admit: async (tx, id) => {
        const account = await this.accounts.lock(tx, id);
        return account !== null && account.status !== 'closed';
      },
    });
  }

  onApplicationBootstrap(): void {
    this.closing.freeze();
  }
}
