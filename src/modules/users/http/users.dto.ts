import { PageRequest } from '../../../kernel/pages';
import {
  EmailField,
  EnumField,
  IdField,
  ReasonField,
  SecretField,
  StringField,
} from '../../../platform/http/request-fields';
import {
  ResponseField,
  Timestamp,
  IdResponseField,
  countSchema,
  nameEnum,
} from '../../../platform/http/response-fields';
import { AccountParam, IntegerParam } from '../../../platform/http/list-query';
import { passwordRule, Role, roles } from '../../auth';
import { User } from '../domain/user';
import { userLifecycle, UserStatus } from '../domain/user.lifecycle';

nameEnum('UserStatus', userLifecycle.states);
nameEnum('Role', roles);

export class CreateUserRequest {
  @EmailField()
  email: string;

  @SecretField(passwordRule)
  password: string;

  @StringField(1, 255, 'Ada Lovelace', { optional: true, nullable: true })
  name?: string | null;

  @EnumField(roles, { optional: true, description: 'Only admins may set it.', inExample: false })
  role?: Role;

  @EnumField(userLifecycle.states, {
    optional: true,
    description: 'Only admins may set it.',
    inExample: false,
  })
  status?: UserStatus;

  @IdField('acc', { optional: true, description: 'Only admins may set it.', inExample: false })
  account_id?: string;
}

export class UpdateUserRequest {
  @StringField(1, 255, 'Ada King', { optional: true, nullable: true })
  name?: string | null;

  @EnumField(userLifecycle.states, { optional: true, inExample: false })
  status?: UserStatus;

  @SecretField(passwordRule, { optional: true, inExample: false })
  password?: string;

  @EnumField(roles, { optional: true, description: 'Only admins may set it.', inExample: false })
  role?: Role;

  @ReasonField()
  reason?: string;
}

export class ListUsersQuery {
  @IntegerParam(1, 999_999_999, 'The page number, starting at 1.')
  page: number = 1;

  @IntegerParam(25, 100, 'The number of users per page.')
  limit: number = 25;

  @EnumField(userLifecycle.states, { optional: true, description: 'Returns only users with this status.' })
  status?: UserStatus;

  @EnumField(roles, { optional: true, description: 'Returns only users with this role.' })
  role?: Role;

  @AccountParam('Returns only users linked to this account.')
  account_id?: string;

  @StringField(0, 255, 'ada', {
    optional: true,
    description: 'A substring of the name or the email, case-insensitive.',
  })
  search?: string;
}

export class UserResponse {
  @IdResponseField('usr')
  id: string;

  @ResponseField({ type: 'string', example: 'ada@example.com' })
  email: string;

  @ResponseField({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  name: string | null;

  @ResponseField({ type: 'string', enum: userLifecycle.states })
  status: UserStatus;

  @Timestamp()
  created_at: string;

  @Timestamp()
  updated_at: string;
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

export class UserPagination {
  @ResponseField({ ...countSchema, example: 1 })
  page: number;

  @ResponseField({ ...countSchema, example: 25 })
  limit: number;

  @ResponseField({ ...countSchema, example: 4 })
  total_pages: number;

  @ResponseField({ ...countSchema, example: 93 })
  total_records: number;
}

export class UsersResponse {
  @ResponseField({ type: [UserResponse] })
  data: UserResponse[];

  @ResponseField({ type: UserPagination })
  pagination: UserPagination;
}

export function usersResponse(users: User[], total: number, { page, limit }: PageRequest): UsersResponse {
  return {
    data: users.map(userResponse),
    pagination: { page, limit, total_pages: Math.ceil(total / limit), total_records: total },
  };
}

export class DeletedUserResponse {
  @ResponseField({ type: 'string', example: 'The user was deleted.' })
  message: string;

  @IdResponseField('usr')
  id: string;
}
