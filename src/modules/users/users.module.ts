import { Module } from '@nestjs/common';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { ProvidedUsers, SignInSubjects } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { ApprovalKinds, SearchHit, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { AccountUsers } from './account-users.service';
import { AdminPromotions, Admins, approversCheck } from './admins.service';
import { SecondFactorResets } from './second-factor-resets.service';
import { UserChangeRules, UserChanges } from './user-changes.service';
import { UserRecords } from './user-records.service';
import { UserCreation, Users } from './users.service';
import { LinkedAccounts } from './linked-accounts';
import { User, userNotFound } from './user';
import { userSchema, UsersRepository } from './users.repository';
import {
  SecondFactorResetsController,
  UserInvitationsController,
  UsersController,
} from './users.controllers';
import { userResponse, UserResponse } from './users.dto';
import { usersSettings } from './users.settings';

/** People and systems that log in. */
@Module({
  imports: [AuthModule, ApprovalsModule, SearchModule],
  controllers: [UsersController, UserInvitationsController, SecondFactorResetsController],
  providers: [
    Users,
    UserCreation,
    UserChanges,
    UserChangeRules,
    UserRecords,
    AccountUsers,
    LinkedAccounts,
    Admins,
    AdminPromotions,
    SecondFactorResets,
    UsersRepository,
    register(ApprovalKinds, [AdminPromotions], (promotions) => promotions),
    register(ProvidedUsers, [UserChanges], (changes) => ({
      name: 'users',
      create: (...created) => changes.createProvided(...created),
      setRole: (...changed) => changes.setProvidedRole(...changed),
    })),
    register(SearchSources, [Users], (users) => ({
      name: 'user',
      scope: null,
      response: UserResponse,
      find: async (caller, text) => {
        const user = await users.search(caller, text);
        return user === null ? [] : [foundUser(user)];
      },
      findParts: async (caller, part, limit) => (await users.searchParts(caller, part, limit)).map(foundUser),
    })),
    register(
      SignInSubjects,
      [UsersRepository, LinkedAccounts, AccountUsers],
      (repository, linkedAccounts, accountUsers) => ({
        name: 'user',
        describe: (id) => repository.find(id),
        assertNotSuspended: async (tx, { accountId }) => {
          if (accountId !== null) await linkedAccounts.assertNotSuspended(tx, accountId);
        },
        changeEmail: async (tx, { subjectId }, email, now) => {
          const user = await repository.lock(tx, subjectId);
          if (user === null) throw userNotFound();
          const { email: former } = user;
          user.changeEmail(email, now);
          repository.save(tx, user);
          return former;
        },
        lock: (tx, id) => repository.lock(tx, id),
        revokeAccess: async (tx, actor, id, now) => {
          await accountUsers.unlinkOwner(tx, actor, id, now);
          return true;
        },
      }),
    ),
  ],
  exports: [Users, UserChanges, UserCreation, AccountUsers, Admins, LinkedAccounts],
})
export class UsersModule {}

function foundUser(user: User): SearchHit {
  return { id: user.id, accountId: user.accountId, object: userResponse(user) };
}

export const users: ServiceModule = {
  module: UsersModule,
  entities: [userSchema],
  settings: [usersSettings],
  healthChecks: [approversCheck],
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
      operatorsOnly: true,
      response: UserResponse,
      render: userResponse,
    },
  ],
};
