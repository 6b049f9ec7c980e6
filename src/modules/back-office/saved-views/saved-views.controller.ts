import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { countCharacters } from '../../../kernel/text';
import { IdempotentRequest } from '../../../platform/database/database';
import { CursorPageQuery, parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { booleanRule, EnumField, field, StringField } from '../../../platform/http/request-fields';
import {
  cursorListResponse,
  CursorListResponse,
  exampleId,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { SavedQuery, SavedView, SavedViewPage, savedViewPages } from './saved-view';
import { MAX_VIEWS, SavedViews } from './saved-views.service';

nameEnum('SavedViewPage', savedViewPages);

const MAX_FILTERS = 20;
const MAX_FILTER_CHARACTERS = 40;
const MAX_VALUE_CHARACTERS = 255;

const querySchema = {
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_CHARACTERS },
  minProperties: 1,
  maxProperties: MAX_FILTERS,
  example: { status: 'failed', type: 'payment' },
} as const;

const queryRule = {
  expected: `an object of 1 to ${MAX_FILTERS} filters with texts of 1 to ${MAX_VALUE_CHARACTERS} characters, and names of 1 to ${MAX_FILTER_CHARACTERS} small letters and _`,
  isValid: isQuery,
  schema: querySchema,
};

function isQuery(value: unknown): value is SavedQuery {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const filters = Object.entries(value);
  return filters.length >= 1 && filters.length <= MAX_FILTERS && filters.every(isFilter);
}

function isFilter([name, value]: [string, unknown]): boolean {
  return (
    new RegExp(`^[a-z][a-z_]{0,${MAX_FILTER_CHARACTERS - 1}}$`).test(name) &&
    typeof value === 'string' &&
    value !== '' &&
    countCharacters(value) <= MAX_VALUE_CHARACTERS
  );
}

const PAGE = 'The list of the console that is filtered.';

class CreateSavedViewRequest {
  @EnumField(savedViewPages, { description: PAGE }) page: SavedViewPage;
  @StringField(1, 60, 'Failed payments', { visible: true }) name: string;

  @field(queryRule, { description: 'The filters, as in the address of the list.' })
  query: SavedQuery;

  @field(booleanRule, {
    optional: true,
    description: 'Whether all who see all accounts see it. By default only its owner does.',
  })
  shared?: boolean;
}

class ListSavedViewsQuery extends CursorPageQuery('view', 'views') {
  @EnumField(savedViewPages, { optional: true, description: 'Only the views of this list.' })
  page?: SavedViewPage;
}

class SavedViewResponse {
  @IdResponseField('view') id: string;
  @ResponseField({ enum: savedViewPages, description: PAGE }) page: SavedViewPage;
  @ResponseField({ example: 'Failed payments' }) name: string;
  @ResponseField({ ...querySchema, description: 'The filters.' }) query: SavedQuery;
  @ResponseField({ type: 'boolean', example: false }) shared: boolean;

  @ResponseField({
    example: exampleId('usr'),
    description: 'The user who saved it, who may have been deleted since.',
  })
  owner_id: string;

  @Timestamp() created_at: string;
}

class SavedViewsResponse extends CursorListResponse(SavedViewResponse) {}

class DeletedSavedViewResponse {
  @ResponseField({ example: 'The saved view was deleted.' }) message: string;
  @IdResponseField('view') id: string;
}

function savedViewResponse(view: SavedView): SavedViewResponse {
  const { id, page, name, query, isShared, ownerId, createdAt } = view;
  return { id, page, name, query, shared: isShared, owner_id: ownerId, created_at: createdAt.toISOString() };
}

/** Filters of lists under a name. */
@ApiTags('Saved views')
@Controller('v1/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViews) {}

  @Post()
  @Operation({
    id: 'createSavedView',
    forSupport: true,
    summary: 'Save the filters of a list',
    errors: ['conflict'],
    idempotent: true,
    description: `For the back office and platform systems. A user has at most ${MAX_VIEWS} views, with different names on each page (\`conflict\`).`,
    response: { type: SavedViewResponse, description: 'The new view.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() { shared: isShared = false, ...view }: CreateSavedViewRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.views.create(caller, { ...view, isShared }, { ...request, render: savedViewResponse });
  }

  @Get()
  @Operation({
    id: 'listSavedViews',
    summary: 'List saved views',
    description:
      'For the back office and platform systems: their own views and those that others share. Newest first.',
    response: { type: SavedViewsResponse, description: 'One page.' },
  })
  async list(@Caller() caller: Principal, @Query() query: ListSavedViewsQuery) {
    const { page } = parseListRequest(query);
    return cursorListResponse(await this.views.list(caller, query.page, page), savedViewResponse);
  }

  @Delete(':view_id')
  @Operation({
    id: 'deleteSavedView',
    forSupport: true,
    summary: 'Delete a saved view',
    errors: ['not_found'],
    description: 'For its owner, and for admins if it is shared.',
    response: { type: DeletedSavedViewResponse, description: 'The view is deleted.' },
  })
  async delete(@Caller() caller: Principal, @IdParam('view_id', 'view', 'The id of the view.') id: string) {
    await this.views.delete(caller, id);
    return { message: 'The saved view was deleted.', id };
  }
}
