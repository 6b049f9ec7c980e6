import { Module } from '@nestjs/common';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { SignInSubjects } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { ApprovalKinds, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { AccountUsersService } from './application/account-users.service';
import { AdminPromotions } from './application/admin-promotions';
import { AdminsService } from './application/admins.service';
import { approversCheck } from './application/approvers-check';
import { SecondFactorResets } from './application/second-factor-resets.service';
import { UserRecords } from './application/user-records';
import { UsersService } from './application/users.service';
import { AccountUsers } from './domain/account-users';
import { Admins } from './domain/admins';
import { LinkedAccounts } from './domain/linked-accounts';
import { Users } from './domain/users';
import { UsersRepository } from './domain/users.repository';
import { SecondFactorResetsController } from './http/second-factor-resets.controller';
import { UsersController } from './http/users.controller';
import { userResponse, UserResponse } from './http/users.dto';
import { countAdmins } from './infrastructure/count-admins';
import { TypeormUsersRepository } from './infrastructure/typeorm-users.repository';
import { userSchema } from './infrastructure/user.schema';
import { usersSettings } from './users.settings';

/** People and systems that log in. */
@Module({
  imports: [AuthModule, ApprovalsModule, SearchModule],
  controllers: [UsersController, SecondFactorResetsController],
  providers: [
    { provide: Users, useClass: UsersService },
    { provide: AccountUsers, useClass: AccountUsersService },
    UserRecords,
    { provide: Admins, useClass: AdminsService },
    AdminPromotions,
    SecondFactorResets,
    LinkedAccounts,
    { provide: UsersRepository, useClass: TypeormUsersRepository },
    register(ApprovalKinds, [AdminPromotions], (promotions) => promotions),
    register(SearchSources, [Users], (users) => ({
      name: 'user',
      scope: null,
      find: async (caller, text) => {
        const user = await users.search(caller, text);
        return user === null ? [] : [{ id: user.id, accountId: user.accountId, object: userResponse(user) }];
      },
    })),
    register(SignInSubjects, [Users, AccountUsers, UsersRepository], (users, accountUsers, repository) => ({
      name: 'user',
      describe: (id) => repository.find(id),
      changeEmail: (tx, subject, email, now) => users.changeEmail(tx, subject, email, now),
      lock: (tx, id) => repository.lock(tx, id),
      revokeAccess: async (tx, actor, id, now) => {
        await accountUsers.unlinkOwner(tx, actor, id, now);
        return true;
      },
    })),
  ],
  exports: [Users, AccountUsers, Admins, LinkedAccounts],
})
export class UsersModule {}

export const users: ServiceModule = {
  module: UsersModule,
  entities: [userSchema],
  settings: [usersSettings],
  healthChecks: [approversCheck(countAdmins)],
  idPrefixes: ['usr'],
  tags: [{ name: 'Users', description: 'People who sign in, on their own or as members of an account.' }],
  events: [
    {
      resource: 'user',
      actions: {
        created: 'A user was created.',
        updated: 'A user was changed, or linked to an account.',
        deleted: 'A user was deleted. The object is as it was before.',
      },
      response: UserResponse,
      render: userResponse,
    },
  ],
};
