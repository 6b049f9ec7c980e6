import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/operation';
import { VersionField } from '../../../platform/http/request-fields';
import { ResponseField, VersionResponseField } from '../../../platform/http/response-fields';
import { ApiVersion, ApiVersions } from '../../../platform/versions/api-versions';
import { PinnedVersions } from '../application/pinned-versions.service';
import { Principal } from '../domain/principal';
import { Caller } from './caller';

class PinAccountRequest {
  @VersionField() version: string;
}

class VersionResponse {
  @VersionResponseField() version: string;

  @ResponseField({
    type: 'array',
    items: { type: 'string' },
    example: ['The accounts to which a transfer gives have an `account_name` instead of a `name`.'],
    description: 'What has changed since the version before.',
  })
  changes: readonly string[];
}

class PinnedVersionResponse {
  @VersionResponseField('The version to which the account, or the API key that asks, is pinned.')
  version: string;

  @VersionResponseField('The newest version.') newest: string;

  @ApiProperty({ type: [VersionResponse], description: 'All versions, from the newest to the oldest.' })
  versions: VersionResponse[];
}

/** The version of the API that an account uses. */
@ApiTags('Accounts')
@Controller('v1/account/version')
export class PinnedVersionsController {
  constructor(
    private readonly versions: ApiVersions,
    private readonly pinned: PinnedVersions,
  ) {}

  @Get()
  @Operation({
    id: 'getOwnVersion',
    scope: 'account:read',
    summary: 'Retrieve the version of the API',
    description: 'With all versions and what has changed in them.',
    response: { type: PinnedVersionResponse, description: 'The version.' },
  })
  get(@Caller() caller: Principal) {
    return this.render(this.pinned.read(caller));
  }

  @Patch()
  @Operation({
    id: 'updateOwnVersion',
    summary: 'Change the version of the API',
    description:
      'For the owner of an account. From the next request on, its sessions use the version where a request names none. API keys and webhook endpoints keep theirs.',
    response: { type: PinnedVersionResponse, description: 'The version after the change.' },
  })
  async update(@Caller() caller: Principal, @Body() { version }: PinAccountRequest) {
    return this.render(await this.pinned.change(caller, version));
  }

  private render({ name }: ApiVersion): PinnedVersionResponse {
    const versions = this.versions.all.map((one) => ({
      version: one.name,
      changes: this.versions.describe(one),
    }));
    return { version: name, newest: this.versions.newest.name, versions };
  }
}
