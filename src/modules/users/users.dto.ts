import { Page, PageRequest } from '../../kernel/pages';
import {
  AccountParam,
  FormatParam,
  IntegerParam,
  ListFormat,
  ViewParam,
} from '../../platform/http/list-query';
import {
  EmailField,
  EnumField,
  IdField,
  ReasonField,
  SecretField,
  StringField,
} from '../../platform/http/request-fields';
import {
  countSchema,
  IdResponseField,
  idSchema,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { MembershipRole, membershipRoles, passwordRule, Role, roles, UserLogin } from '../auth';
import { User, userLifecycle, UserStatus } from './user';

nameEnum('UserStatus', userLifecycle.states);
nameEnum('Role', roles);
nameEnum('MembershipRole', membershipRoles);

/** Who has not accepted would count as an admin who can sign in. */
const invitedRoles = roles.filter((role) => role !== 'admin');
nameEnum('InvitedRole', invitedRoles);

export class CreateUserRequest {
  @EmailField() email: string;
  @SecretField(passwordRule) password: string;
  @StringField(1, 255, 'Ada Lovelace', { optional: true, nullable: true }) name?: string | null;
  @EnumField(roles, { optional: true, description: 'Only admins may set it.', inExample: false }) role?: Role;

  @EnumField(userLifecycle.states, {
    optional: true,
    description: 'Only admins may set it.',
    inExample: false,
  })
  status?: UserStatus;

  @IdField('acc', { optional: true, description: 'Only admins may set it.', inExample: false })
  account_id?: string;
}

export class InviteUserRequest {
  @EmailField() email: string;
  @StringField(1, 255, 'Ada Lovelace', { optional: true, nullable: true }) name?: string | null;

  @EnumField(invitedRoles, {
    optional: true,
    description: 'Only admins may set it. A user who has accepted can be made an admin.',
    inExample: false,
  })
  role?: Exclude<Role, 'admin'>;

  @IdField('acc', { optional: true, description: 'Only admins may set it.', inExample: false })
  account_id?: string;
}

export class UpdateUserRequest {
  @StringField(1, 255, 'Ada King', { optional: true, nullable: true }) name?: string | null;
  @EnumField(userLifecycle.states, { optional: true, inExample: false }) status?: UserStatus;
  @SecretField(passwordRule, { optional: true, inExample: false }) password?: string;
  @EnumField(roles, { optional: true, description: 'Only admins may set it.', inExample: false }) role?: Role;
  @ReasonField() reason?: string;
}

export class ListUsersQuery {
  @IntegerParam(1, 999_999_999, 'The page number, starting at 1.') page: number = 1;
  @IntegerParam(25, 100, 'The number of users per page.') limit: number = 25;

  @EnumField(userLifecycle.states, { optional: true, description: 'Returns only users with this status.' })
  status?: UserStatus;

  @EnumField(roles, { optional: true, description: 'Returns only users with this role.' }) role?: Role;
  @AccountParam('Returns only users linked to this account.') account_id?: string;

  @StringField(0, 255, 'ada', {
    optional: true,
    description:
      'A substring of the name or the email, case-insensitive. Rejected (`invalid_request`) if more than 10,000 users match, or would have to be read because the text has no three letters or digits in a row: send more of it, or another filter.',
  })
  search?: string;

  @ViewParam() view?: 'full';

  @FormatParam('`csv` returns all users that match, whatever `limit` says, and takes no `page`.')
  format?: ListFormat;
}

export class GetUserQuery {
  @ViewParam() view?: 'full';
}

export class UserResponse {
  @IdResponseField('usr') id: string;
  @ResponseField({ example: 'ada@example.com' }) email: string;
  @ResponseField({ nullable: true, example: 'Ada Lovelace' }) name: string | null;
  @ResponseField({ enum: userLifecycle.states }) status: UserStatus;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

export function userResponse({ id, email, name, status, createdAt, updatedAt }: User): UserResponse {
  return {
    id,
    email,
    name,
    status,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

const WITH_VIEW = 'Only with `view=full`.';

export class ViewedUserResponse extends UserResponse {
  @ResponseField({ required: false, type: 'string', enum: roles, description: WITH_VIEW }) role?: Role;

  @ResponseField({
    required: false,
    ...idSchema('acc'),
    nullable: true,
    description: `The account that the user is linked to; null without one. ${WITH_VIEW}`,
  })
  account_id?: string | null;

  @ResponseField({
    required: false,
    enum: membershipRoles,
    nullable: true,
    description: `What the user is in the account; null without one. ${WITH_VIEW}`,
  })
  membership_role?: MembershipRole | null;

  @ResponseField({
    required: false,
    type: 'boolean',
    example: false,
    description: `Whether the user was invited, and has not set a password yet. ${WITH_VIEW}`,
  })
  invited?: boolean;
}

export type UserLogins = ReadonlyMap<string, UserLogin>;

/** @param logins with `view=full`, or else null */
export function viewedUserResponse(user: User, logins: UserLogins | null): ViewedUserResponse {
  if (logins === null) return userResponse(user);
  const { id, role, accountId } = user;
  const login = logins.get(id);
  return {
    ...userResponse(user),
    role,
    account_id: accountId,
    membership_role: login?.membershipRole ?? null,
    invited: login?.isInvited ?? false,
  };
}

export class UserPagination {
  @ResponseField({ ...countSchema, example: 1 }) page: number;
  @ResponseField({ ...countSchema, example: 25 }) limit: number;
  @ResponseField({ ...countSchema, example: 4 }) total_pages: number;
  @ResponseField({ ...countSchema, example: 93 }) total_records: number;
}

export class UsersResponse {
  @ResponseField({ type: [ViewedUserResponse] }) data: ViewedUserResponse[];
  @ResponseField({ type: UserPagination }) pagination: UserPagination;
}

export function usersResponse(
  { items, total }: Page<User>,
  { page, limit }: PageRequest,
  logins: UserLogins | null,
): UsersResponse {
  return {
    data: items.map((user) => viewedUserResponse(user, logins)),
    pagination: { page, limit, total_pages: Math.ceil(total / limit), total_records: total },
  };
}

export class DeletedUserResponse {
  @ResponseField({ example: 'The user was deleted.' }) message: string;
  @IdResponseField('usr') id: string;
}
